const paths = {
  worlds: 'M2.5 13V6.500L8 3l5.5 3.500V13z M6.5 13V9.500h3V13',
  datasets: 'M3 4.500h10v3H3z M3 8.500h10v3H3z M5 6h.01 M5 10h.01',
  evaluations: 'M3 13V8 M6.5 13V4 M10 13V9.5 M13.5 13V6',
  suites: 'M3 4h2 M3 8h2 M3 12h2 M7 4h6 M7 8h6 M7 12h6',
  agents: 'M4 6.500h8V13H4z M8 6.500V3.5 M6.5 9.200v1 M9.5 9.200v1',
  telemetry: 'M2 8h3l1.5-4 3 8L11 8h3',
  settings: 'M3 5h10 M3 11h10 M6 3.500v3 M10 9.500v3',
  search: 'M7 11.500a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9z M10.5 10.500L14 14',
  close: 'M4 4l8 8 M12 4l-8 8',
  check: 'M3.5 8.500l3 3 6-7',
  cross: 'M4.5 4.500l7 7 M11.5 4.500l-7 7',
  dash: 'M4 8h8',
  crash: 'M9.5 2.500L4 9h3.500L6.500 13.500 12 7H8.500z',
  budget: 'M8 13.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11z M5.500 8h5',
  compare: 'M6 3v10 M10 3v10 M3 6l3-3 3 3 M7 10l3 3 3-3',
  upload: 'M8 11V3 M5 6l3-3 3 3 M3 11.500V13h10v-1.500',
  person: 'M8 7.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z M3.500 13.500a4.500 4.500 0 0 1 9 0',
  twin: 'M3 3h6v6H3z M7 9v4h6V7H9',
  dots: 'M4 8h.01 M8 8h.01 M12 8h.01',
  copy: 'M5.5 5.500h7v7h-7z M3.5 10.500v-7h7',
  arrow: 'M6 4l4 4-4 4',
  back: 'M10 4L6 8l4 4',
  plus: 'M8 3.500v9 M3.5 8h9',
  warning: 'M8 3l5.5 10h-11z M8 7v2.5 M8 11.300v.1',
  running: 'M8 3a5 5 0 1 0 5 5',
  clock: 'M8 13.500a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11z M8 5v3l2 1.5',
  eye: 'M2 8s2.2-4 6-4 6 4 6 4-2.2 4-6 4-6-4-6-4z M8 9.500a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z',
  menu: 'M3 5h10 M3 8h10 M3 11h10',
  sun: 'M8 10.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z M8 2v1.5 M8 12.500V14 M2 8h1.5 M12.5 8H14 M3.8 3.800l1 1 M11.2 11.200l1 1 M3.8 12.200l1-1 M11.2 4.800l1-1',
  exit: 'M6.5 3H3.500v10h3 M7 8h6 M10.5 5.500L13 8l-2.5 2.5',
  lock: 'M4 7.500h8V13H4z M5.5 7.500V5.500a2.5 2.5 0 0 1 5 0v2',
  file: 'M4 2.500h5l3 3v8H4z M9 2.500v3h3',
  reply: 'M6 4L2.5 7.5 6 11 M2.5 7.500h7a4 4 0 0 1 4 4v1',
} as const
export type IconName = keyof typeof paths
export const iconPath = (name: IconName): string => paths[name]

interface IconProps {
  readonly name: IconName
  readonly size?: number
  /** The text for screen readers; left out where a word is beside the icon. */
  readonly label?: string
}

interface DrawingProps {
  readonly path: string
  readonly size: number
  readonly label?: string | undefined
}

/** A line drawing of 16 by 16. */
export const Drawing = ({ path, size, label }: DrawingProps) => (
  <svg
    className="icon"
    width={`${size / 10}rem`}
    height={`${size / 10}rem`}
    viewBox="0 0 16 16"
    focusable="false"
    role="img"
    aria-hidden={label === undefined}
    aria-label={label}
  >
    <path d={path} />
  </svg>
)

export const Icon = ({ name, size = 16, label }: IconProps) => (
  <Drawing path={paths[name]} size={size} label={label} />
)
