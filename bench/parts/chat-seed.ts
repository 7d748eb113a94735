import { compileSeed, type FrozenSeed, freezeSeed } from '@diorama/twin-kit/kernel/seed'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { testSection } from '../../twins/chat/testing/section.ts'
import { chat } from '../../twins/chat/twin.ts'

const words =
  'order pump valve invoice supplier delay shipment customer renewal deploy incident report friday contract review budget team plan quality release'.split(
    ' ',
  )

/** A sentence that is the same for the same number, with one word that is nearly its own. */
const sentence = (n: number): string =>
  [
    ...Array.from({ length: 12 }, (_, place) => words[(n * 7 + place * place * (n % 11)) % words.length]),
    `ref${n % 997}`,
  ].join(' ')

/** The test workspace with this many messages in `pumps`. */
export const chatSeed = (messages: number): FrozenSeed => {
  const { seed } = compileSeed(chat, testSection, testCompany)
  const channel = seed.keys.find(({ key }) => key === 'pumps')?.id ?? ''
  const user = String(seed.tables.user?.[0]?.id)
  const start = Math.floor(testCompany.clock / 1_000) - messages - 1_000
  const rows = Array.from({ length: messages }, (_, n) => {
    const ts = `${start + n}.000100`
    const text = sentence(n)
    const elements = [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }]
    const blocks = [{ type: 'rich_text', block_id: `b${n}`, elements }]
    return { id: `${channel}:${ts}`, channel, ts, type: 'message', user, text, blocks }
  })
  const kept = (seed.tables.message ?? []).filter((row) => row.channel !== channel)
  const tables = { ...seed.tables, message: [...kept, ...rows] }
  return freezeSeed(chat, {
    ...seed,
    tables,
    keys: seed.keys.filter(({ collection }) => collection === 'channel'),
  })
}
