/** What the pages read of a blueprint as it was sent; whatever is missing is empty. */
export interface Person {
  readonly handle: string
  readonly name: string
  readonly title: string
  readonly isApiOwner: boolean
}
export interface Touchpoint {
  readonly service: string
  readonly key: string
  readonly role: string
}
export interface Coworker {
  readonly person: string
  readonly knows: readonly { fact: string; tell: string; to: readonly string[]; first: string }[]
  readonly approvals: readonly { about: readonly string[]; below: number | null; otherwise: string }[]
  readonly replyDelay: string
  readonly escalatesTo: string
}
export interface Story {
  readonly title: string
  readonly narrative: string
  readonly organization: string
  readonly people: readonly Person[]
  readonly threads: readonly { title: string; summary: string; touchpoints: readonly Touchpoint[] }[]
  readonly tasks: readonly { key: string; title: string; instruction: string }[]
  readonly coworkers: readonly Coworker[]
}

type Loose = Readonly<Record<string, unknown>>
const loose = (value: unknown): Loose =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
const list = (value: unknown): Loose[] => (Array.isArray(value) ? value.map(loose) : [])
const word = (value: unknown): string => (typeof value === 'string' ? value : '')
const words = (value: unknown): string[] => (Array.isArray(value) ? value.map(word) : [])

/** Services may be named in the blueprint by another spelling than the world uses. */
const spelt = (service: string, services: readonly string[], sections: readonly string[]): string =>
  services.includes(service) ? service : (services[sections.indexOf(service)] ?? service)

export const readStory = (blueprint: Loose, services: readonly string[]): Story => {
  const scenario = loose(blueprint['scenario'])
  const sections = Object.keys(loose(blueprint['twins']))
  return {
    title: word(scenario['title']),
    narrative: word(scenario['narrative']),
    organization: word(loose(blueprint['organization'])['description']),
    people: list(blueprint['identities']).map((one) => ({
      handle: word(one['handle']),
      name: `${word(one['firstName'])} ${word(one['lastName'])}`.trim(),
      title: word(one['title']),
      isApiOwner: one['isApiOwner'] === true,
    })),
    threads: list(scenario['threads']).map((thread) => ({
      title: word(thread['title']),
      summary: word(thread['summary']),
      touchpoints: list(thread['touchpoints']).map((point) => ({
        service: spelt(word(point['service']), services, sections),
        key: word(point['key']),
        role: word(point['role']),
      })),
    })),
    tasks: list(scenario['tasks']).map((task) => ({
      key: word(task['key']),
      title: word(task['title']),
      instruction: word(task['instruction']),
    })),
    coworkers: list(scenario['coworkers']).map(readCoworker),
  }
}

const readCoworker = (one: Loose): Coworker => ({
  person: word(one['person']),
  knows: list(one['knows']).map((known) => ({
    fact: word(known['fact']),
    tell: word(known['tell']) || 'when_asked',
    to: words(known['to']),
    first: word(known['first']),
  })),
  approvals: list(one['approvals']).map((approval) => ({
    about: words(approval['about']),
    below: typeof approval['below'] === 'number' ? approval['below'] : null,
    otherwise: word(approval['otherwise']) || 'refuse',
  })),
  replyDelay: word(one['replyDelay']),
  escalatesTo: word(one['escalatesTo']),
})
