import { type ChatSection, section as chatSection } from '../section.ts'

const at = (day: number, time: string): string => `2026-02-${String(day).padStart(2, '0')}T${time}:00.000Z`

/** A small workspace that every chat test starts from. Lucía alone with Dev in `deal-desk`; the bot is not in it. */
export const testSection: ChatSection = chatSection.parse({
  channels: [
    { name: 'general', topic: 'Company news', purpose: 'For everyone' },
    { name: 'pumps', topic: 'P-200 launch', purpose: 'All about pumps', createdBy: 'dev' },
    { name: 'deal-desk', topic: '', purpose: 'Deals', isPrivate: true, members: ['lucia', 'dev'] },
    { name: 'ops-private', topic: '', purpose: 'Ops', isPrivate: true, members: ['mira', 'dev'] },
    { name: 'old-stuff', topic: '', purpose: 'Gone', isArchived: true },
  ],
  messages: [
    {
      at: at(20, '09:00'),
      author: 'mira',
      channel: 'general',
      text: 'Welcome @dev & @lucia to #pumps!',
      key: 'welcome',
    },
    {
      at: at(20, '09:05'),
      author: 'dev',
      channel: 'general',
      text: 'Thanks! Docs: https://docs.example/p200',
      reactions: [{ name: 'thumbsup', by: ['mira', 'lucia'] }],
    },
    {
      at: at(21, '10:00'),
      author: 'dev',
      channel: 'pumps',
      text: 'The *P-200* invoices are late',
      key: 'late',
    },
    { at: at(21, '10:05'), author: 'lucia', channel: 'pumps', text: 'Asking the supplier', replyTo: 'late' },
    {
      at: at(21, '10:10'),
      author: 'mira',
      channel: 'pumps',
      text: 'Mail ops@northwind.example, not `@dev`',
      replyTo: 'late',
    },
    { at: at(22, '08:00'), author: 'bot', channel: 'pumps', text: 'Build 41 passed', key: 'build' },
    {
      at: at(23, '08:00'),
      author: 'lucia',
      channel: 'deal-desk',
      text: 'Secret discount for Contoso',
      key: 'secret',
    },
    { at: at(24, '08:00'), author: 'mira', channel: 'ops-private', text: 'Rota for March' },
    { at: at(24, '09:00'), author: 'mira', channel: 'old-stuff', text: 'Closing this one' },
    {
      at: at(25, '09:00'),
      author: 'lucia',
      channel: 'general',
      text: 'Demo for Contoso on Friday 🎉',
      key: 'demo',
    },
  ],
})
