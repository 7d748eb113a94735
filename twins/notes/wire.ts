import { type Session, type TwinReply, type TwinRequest, VendorError } from '@diorama/twin-kit/kernel/twin'
import { z } from 'zod'
import { authenticate } from './actor.ts'
import { fault } from './fault.ts'
import { operations } from './operations/index.ts'
import { answer } from './shapes/answer.ts'
import type { NotesTables } from './tables.ts'

const decoder = new TextDecoder()

/** `POST /<operation>` with JSON arguments. */
export const wire = (request: TwinRequest, session: Session<NotesTables>): TwinReply => {
  if (!authenticate(request, session)) return fault({ kind: 'unauthorized' })
  const name = request.path.slice(1)
  if (name === 'share') {
    session.notEmulated(name)
    return answer(501, { error: 'not_emulated' })
  }
  if (!Object.hasOwn(operations, name)) return answer(404, { error: 'unknown_operation' })
  try {
    const text = decoder.decode(request.body)
    return answer(200, session.call(name, text === '' ? {} : JSON.parse(text)) ?? null)
  } catch (error) {
    if (error instanceof VendorError) return answer(error.status, { error: error.code })
    if (error instanceof z.ZodError || error instanceof SyntaxError) return answer(400, { error: 'invalid' })
    throw error
  }
}
