import { defineManifest } from '@diorama/twin-kit/kernel/manifest'
import { check } from './check.ts'
import { section } from './section.ts'

export const chat = defineManifest({
  kind: 'chat',
  label: 'Chat',
  aliases: ['slack'],
  icon: 'M2.5 3.500h11v7h-6l-3 2.500v-2.500h-2z',
  standsFor: 'Slack Web API, as documented 2026-08',
  hosts: ['slack.com', '*.slack.com'],
  ports: [],
  section,
  check,
  keyNames: 'channel name or message key',
  keys: ({ channels, messages }) => [
    ...channels.map(({ name }) => name),
    ...messages.flatMap(({ key }) => key ?? []),
  ],
  secrets: ['xox[a-z]-[A-Za-z0-9-]{8,}', 'xapp-[A-Za-z0-9-]{8,}'],
  sampleRead: { method: 'GET', path: '/api/conversations.list', scheme: 'Bearer ' },
  primaryFields: {
    channel: ['name', 'topic', 'purpose', 'is_private', 'is_archived'],
    message: ['text', 'user', 'channel', 'ts', 'thread_ts'],
    user: ['real_name', 'name'],
    file: ['title', 'name', 'mimetype', 'size'],
  },
  noise: {
    channel: ['updated'],
    user: ['updated'],
    message: ['type', 'bot_id', 'app_id', 'team', 'channel_name', 'user_name'],
  },
  legacyResources: ['message', 'channel'],
  url: import.meta.url,
})
