/**
 * The places of the navigation, in their order. One line adds a place to the sidebar, the command palette and the
 * keyboard shortcuts (`g`, then its key); its page is one line in `router.tsx`.
 */
export const places = [
  { to: '/worlds', icon: 'worlds', label: 'Worlds', key: 'w' },
  { to: '/datasets', icon: 'datasets', label: 'Datasets', key: 'd' },
  { to: '/evaluations', icon: 'evaluations', label: 'Evaluations', key: 'e' },
  { to: '/suites', icon: 'suites', label: 'Suites', key: 's' },
  { to: '/agents', icon: 'agents', label: 'Agents', key: 'a' },
  { to: '/telemetry', icon: 'telemetry', label: 'Telemetry', key: 't' },
  { to: '/settings', icon: 'settings', label: 'Settings', key: ',' },
] as const
