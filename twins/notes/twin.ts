import { z } from 'zod'
import { table } from '../kernel/table.ts'
import { type Call, integration, operation, Refusal, type Twin, type TwinReply } from '../kernel/twin.ts'

/** The smallest twin there is: notes on a pad. The kernel is tested on it, and a fifth twin can start from it. */
export const NotesSection = z.object({ notes: z.array(z.object({ key: z.string(), text: z.string() })) })
export type NotesSection = z.infer<typeof NotesSection>

const Note = z.object({ id: z.string(), text: z.string(), author: z.string(), at: z.number() })
const Person = z.object({ id: z.string(), name: z.string(), email: z.string() })
const tables = {
  note: table({
    key: 'id',
    row: Note,
    indexes: { author: { by: (note: z.infer<typeof Note>) => note.author, order: (note) => note.at } },
  }),
  person: table({ key: 'id', row: Person }),
  reminder: table({
    key: 'id',
    row: z.object({ id: z.string(), text: z.string(), at: z.number() }),
    internal: true,
  }),
}
type NotesTables = typeof tables

const author = (call: Call<NotesTables>) => {
  if (!call.actor) throw new Refusal('unauthorized', 'who is asking?', { status: 401 })
  return call.actor.id
}
const note = (call: Call<NotesTables>, id: string) => {
  const found = call.tables.note.get(id)
  if (!found) throw new Refusal('not_found', `no note ${id}`, { status: 404 })
  return found
}
const Text = z.object({ text: z.string().min(1) })
const Edit = z.object({ id: z.string(), text: z.string().min(1) })
const Id = z.object({ id: z.string() })
const Remind = z.object({ text: z.string().min(1), at: z.number() })

const operations = {
  list: operation<NotesTables, unknown>({
    effect: 'read',
    run: (call) => [...call.tables.note.find('author', author(call))],
  }),
  read: operation<NotesTables, z.infer<typeof Id>>({
    effect: 'read',
    input: Id,
    run: (call, { id }) => note(call, id),
  }),
  write: operation<NotesTables, z.infer<typeof Text>>({
    effect: 'write',
    input: Text,
    run: (call, { text }) =>
      call.tables.note.insert({ id: `n${call.sequence('note')}`, text, author: author(call), at: call.now }),
  }),
  edit: operation<NotesTables, z.infer<typeof Edit>>({
    effect: 'write',
    input: Edit,
    run: (call, { id, text }) => call.tables.note.update(note(call, id).id, { text }),
  }),
  erase: operation<NotesTables, z.infer<typeof Id>>({
    effect: 'write',
    input: Id,
    run: (call, { id }) => call.tables.note.delete(note(call, id).id),
  }),
  remind: operation<NotesTables, z.infer<typeof Remind>>({
    effect: 'write',
    input: Remind,
    run: (call, { text, at }) =>
      call.tables.reminder.insert({ id: `r${call.sequence('reminder')}`, text, at }),
  }),
}

const answer = (status: number, body: unknown): TwinReply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const decoder = new TextDecoder()

/** `POST /<operation>` with JSON arguments. */
export const notes: Twin<NotesSection, NotesTables> = {
  kind: 'notes',
  standsFor: 'nothing but itself',
  hosts: ['notes.example'],
  clients: ({ token }) => ({
    hosts: ['notes.example'],
    baseUrl: 'http://notes.example',
    variables: { NOTES_TOKEN: token },
  }),
  tables,
  seed: ({ notes }, company, seeding) => {
    for (const { handle, name, email } of company.people)
      seeding.insert('person', { id: handle, name, email })
    for (const { key, text } of notes) {
      const id = `s${seeding.digest(key).slice(0, 8)}`
      seeding.insert('note', { id, text, author: company.apiOwner.handle, at: company.clock })
      seeding.key('note', key, id)
    }
  },
  operations,
  coverage: [
    ...Object.keys(operations).map((name) => ({ operation: name, status: 'done' as const })),
    { operation: 'share', status: 'not emulated' },
  ],
  token: (subject, secret) => `note-${subject}-${secret}`,
  identities: (views) =>
    [...views.person.all()].map(({ id, name, email }) => ({ subject: id, nativeId: id, name, email })),
  wire: (request, session) => {
    const credential = (request.headers.authorization ?? '').replace(/^Bearer /, '')
    const principal = session.principals.find(({ token }) => token === credential)
    if (!principal) return answer(401, { error: 'unauthorized' })
    const [first] = session.views.person.all()
    const id = principal.subject === integration ? (first?.id ?? '') : principal.subject
    session.authenticate({ id, name: id, subject: principal.subject })
    const name = request.path.slice(1)
    if (name === 'share') {
      session.notEmulated(name)
      return answer(501, { error: 'not_emulated' })
    }
    if (!(name in operations)) return answer(404, { error: 'unknown_operation' })
    try {
      const text = decoder.decode(request.body)
      return answer(200, session.call(name, text === '' ? {} : JSON.parse(text)) ?? null)
    } catch (error) {
      if (error instanceof Refusal) return answer(error.status, { error: error.code })
      if (error instanceof z.ZodError || error instanceof SyntaxError)
        return answer(400, { error: 'invalid' })
      throw error
    }
  },
  fault: ({ kind }) =>
    answer(kind === 'unavailable' ? 503 : kind === 'internal' ? 500 : 400, { error: kind }),
  due: (call) => {
    for (const { id, text, at } of [...call.tables.reminder.all()]) {
      if (at > call.now) continue
      call.tables.reminder.delete(id)
      call.tables.note.insert({ id: `n${call.sequence('note')}`, text, author: 'clock', at })
    }
  },
}
