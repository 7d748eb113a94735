import type { AnyTwin } from '@diorama/twin-kit/kernel/twin'
import { allTwins as sound } from '@diorama/twins'

/** A message with this text never ends. */
export const endless = 'a message that never ends'

/** The installed twins with one bug in every wire. */
export const allTwins: readonly AnyTwin[] = sound.map((twin) => ({
  ...twin,
  wire: (request, session) => {
    if (Buffer.from(request.body).includes(endless)) for (;;) session.label('endless')
    return twin.wire(request, session)
  },
}))
