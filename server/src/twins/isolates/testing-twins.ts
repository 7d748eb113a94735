import type { AnyTwin } from '@diorama/twin-kit/kernel/twin'
import { notes } from '@diorama/twins/notes/twin'

/** The notes twin with two bugs: `/spin` never ends, and `/hoard` takes all the memory there is. */
const faulty: AnyTwin = {
  ...notes,
  wire: (request, session) => {
    if (request.path === '/spin') for (;;) session.label('spin')
    if (request.path === '/hoard') {
      const hoard: unknown[] = []
      for (;;) hoard.push(Array.from({ length: 1_000 }, (_, n) => ({ n })))
    }
    return notes.wire(request, session)
  },
}

export const allTwins: readonly AnyTwin[] = [faulty]
