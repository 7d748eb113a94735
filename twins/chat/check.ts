import { type Findings, known, notAfter, quoted, unique } from '@diorama/twin-kit/kernel/findings'
import type { CheckContext } from '@diorama/twin-kit/kernel/manifest'
import type { ChatSection } from './section.ts'

export const check = (section: ChatSection, { findings, handles, clock }: CheckContext): void => {
  checkChannels(section, handles, clock, findings)
  checkMessages(section, handles, clock, findings)
  checkThreads(section, findings)
  checkGuests(section, handles, findings)
}

const checkGuests = ({ channels, guests }: ChatSection, handles: ReadonlySet<string>, findings: Findings) => {
  unique(
    findings,
    guests.map(({ handle }, n) => ({ name: handle, pointer: `/guests/${n}/handle` })),
    'guest',
  )
  guests.forEach(({ handle, isSingleChannel }, n) => {
    known(findings, { name: handle, pointer: `/guests/${n}/handle` }, handles, 'identity')
    const joined = channels.filter(({ members }) => members.includes(handle)).length
    if (isSingleChannel && joined > 1)
      findings.error(`/guests/${n}/isSingleChannel`, 'is a member of more than one channel')
  })
}

const checkChannels = (
  { channels, messages }: ChatSection,
  handles: ReadonlySet<string>,
  clock: string,
  findings: Findings,
) => {
  unique(
    findings,
    channels.map(({ name }, n) => ({ name, pointer: `/channels/${n}/name` })),
    'channel name',
  )
  if (!channels.some(({ name }) => name === 'general'))
    findings.error('/channels', 'must include the channel "general"')
  channels.forEach((channel, n) => {
    const pointer = `/channels/${n}`
    channel.members.forEach((name, m) =>
      known(findings, { name, pointer: `${pointer}/members/${m}` }, handles, 'identity'),
    )
    known(findings, { name: channel.createdBy, pointer: `${pointer}/createdBy` }, handles, 'identity')
    notAfter(findings, channel.createdAt, clock, `${pointer}/createdAt`)
    if (channel.name === 'general' && channel.isArchived)
      findings.error(`${pointer}/isArchived`, 'general cannot be archived')
    if (channel.name === 'general' && channel.isPrivate)
      findings.error(`${pointer}/isPrivate`, 'general cannot be private')
    const first = messages.find((message) => message.channel === channel.name)
    if (channel.createdAt !== null && first && Date.parse(channel.createdAt) > Date.parse(first.at))
      findings.warn(`${pointer}/createdAt`, 'lies after the first message of the channel')
  })
}

const checkMessages = (
  { channels, messages }: ChatSection,
  handles: ReadonlySet<string>,
  clock: string,
  findings: Findings,
) => {
  const byName = new Map(channels.map((channel) => [channel.name, channel]))
  unique(
    findings,
    messages.map(({ key }, n) => ({ name: key, pointer: `/messages/${n}/key` })),
    'message key',
  )
  messages.forEach((message, n) => {
    const pointer = `/messages/${n}`
    if (message.author !== 'bot')
      known(findings, { name: message.author, pointer: `${pointer}/author` }, handles, 'identity')
    known(
      findings,
      { name: message.channel, pointer: `${pointer}/channel` },
      new Set(byName.keys()),
      'channel',
    )
    notAfter(findings, message.at, clock, `${pointer}/at`)
    const channel = byName.get(message.channel)
    const outside =
      channel &&
      channel.members.length > 0 &&
      message.author !== 'bot' &&
      !channel.members.includes(message.author)
    if (outside && channel.isPrivate)
      findings.error(`${pointer}/author`, `is not a member of the private channel ${quoted(channel.name)}`)
    else if (outside)
      findings.warn(`${pointer}/author`, `is not a member of the channel ${quoted(channel.name)}`)
    message.reactions.forEach(({ by }, r) => {
      by.forEach((name, b) =>
        known(findings, { name, pointer: `${pointer}/reactions/${r}/by/${b}` }, handles, 'identity'),
      )
    })
    if (message.key !== null && byName.has(message.key))
      findings.warn(`${pointer}/key`, 'is the name of a channel too; a touchpoint means the channel')
    const before = messages[n - 1]
    if (before && Date.parse(before.at) > Date.parse(message.at))
      findings.warn(`${pointer}/at`, 'lies before the message above it; messages should be in order')
  })
}

/** A reply comes after the message it answers, in the same channel and not before it. */
const checkThreads = ({ messages }: ChatSection, findings: Findings) => {
  const places = new Map(messages.flatMap(({ key }, n) => (key === null ? [] : [[key, n] as const])))
  messages.forEach((message, n) => {
    if (message.replyTo === null) return
    const pointer = `/messages/${n}/replyTo`
    const place = places.get(message.replyTo)
    const parent = place === undefined ? undefined : messages[place]
    if (place === undefined || !parent)
      findings.error(pointer, `names no message: ${quoted(message.replyTo)}`)
    else if (place === n) findings.error(pointer, 'names the message itself')
    else if (place > n)
      findings.error(pointer, 'names a message that comes later; a reply stands below what it answers')
    else if (parent.channel !== message.channel)
      findings.error(pointer, `names a message of another channel, ${quoted(parent.channel)}`)
    else if (Date.parse(message.at) < Date.parse(parent.at))
      findings.error(pointer, 'names a message with a later time')
    else if (parent.replyTo !== null) findings.warn(pointer, 'names a reply; it is put into the same thread')
  })
}
