import { type Call, operation, VendorError } from '@diorama/twin-kit/kernel/twin'
import { Edit, Id, Remind, Write } from '../shapes/arguments.ts'
import type { NotesTables } from '../tables.ts'

const author = (call: Call<NotesTables>): string => {
  if (!call.actor) throw new VendorError('unauthorized', 'a token is needed', { status: 401 })
  return call.actor.id
}
const note = (call: Call<NotesTables>, id: string) => {
  const found = call.tables.note.get(id)
  if (!found) throw new VendorError('not_found', `no note ${id}`, { status: 404 })
  return found
}

/** Everything a caller can do with the pad, by the names of its wire. */
export const operations = {
  list: operation<NotesTables, unknown>({
    effect: 'read',
    run: (call) => [...call.tables.note.find('author', author(call))],
  }),
  read: operation<NotesTables, Id>({
    effect: 'read',
    input: Id,
    run: (call, { id }) => note(call, id),
  }),
  write: operation<NotesTables, Write>({
    effect: 'write',
    input: Write,
    run: (call, { text }) =>
      call.tables.note.insert({ id: `n${call.sequence('note')}`, text, author: author(call), at: call.now }),
  }),
  edit: operation<NotesTables, Edit>({
    effect: 'write',
    input: Edit,
    run: (call, { id, text }) => call.tables.note.update(note(call, id).id, { text }),
  }),
  erase: operation<NotesTables, Id>({
    effect: 'write',
    input: Id,
    run: (call, { id }) => call.tables.note.delete(note(call, id).id),
  }),
  remind: operation<NotesTables, Remind>({
    effect: 'write',
    input: Remind,
    run: (call, { text, at }) =>
      call.tables.reminder.insert({ id: `r${call.sequence('reminder')}`, text, at }),
  }),
}

/** Writes the reminders whose time has come as notes. */
export const writeReminders = (call: Call<NotesTables>): void => {
  for (const { id, text, at } of [...call.tables.reminder.all()]) {
    if (at > call.now) continue
    call.tables.reminder.delete(id)
    call.tables.note.insert({ id: `n${call.sequence('note')}`, text, author: 'clock', at })
  }
}
