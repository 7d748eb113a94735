import type { AnyTwin } from '@diorama/twin-kit/kernel/twin'
import { notes } from '@diorama/twins/notes/twin'

export const starvedMs = 1_500

/**
 * The notes twin with two bugs: `/spin` never ends, and `/hoard` takes all the memory there is. `/starve` gets no
 * processor for a while, as happens on a busy machine.
 */
const faulty: AnyTwin = {
  ...notes,
  wire: (request, session) => {
    if (request.path === '/spin') for (;;) session.label('spin')
    if (request.path === '/starve') {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, starvedMs)
      return { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' }
    }
    if (request.path === '/hoard') {
      const hoard: unknown[] = []
      for (;;) hoard.push(Array.from({ length: 1_000 }, (_, n) => ({ n })))
    }
    return notes.wire(request, session)
  },
}

export const allTwins: readonly AnyTwin[] = [faulty]
