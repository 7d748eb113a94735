import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import { json, method } from '../methods/method.ts'
import { blockFaults } from './blocks.ts'
import { blockContext } from './context.ts'
import type { BlockFault } from './validate.ts'
import { viewFaults } from './view.ts'

const exactlyOne = 'must provide exactly one of `blocks`, `view`, or `message`'

const refuse = (error: string, errors: readonly BlockFault[]): VendorError =>
  new VendorError(error, error, { data: { errors } })

/** Checks a payload without sending it. It needs no credential; pointers are relative to the given value. */
export const blockMethods = {
  'blocks.validate': method({
    effect: 'read',
    args: {
      blocks: json('invalid_arguments'),
      message: json('invalid_arguments'),
      view: json('invalid_arguments'),
    },
    run: (call, { blocks, message, view }) => {
      if ([blocks, message, view].filter((value) => value !== undefined).length !== 1)
        throw new VendorError('invalid_arguments', exactlyOne, {
          data: { response_metadata: { messages: [exactlyOne] } },
        })
      const context = blockContext(call)
      if (blocks !== undefined) {
        const faults = blockFaults(blocks, context, '')
        if (faults.length > 0) throw refuse('invalid_blocks', faults)
      } else if (view !== undefined) {
        const faults = viewFaults(view, context, '')
        if (faults.length > 0) throw refuse('invalid_view', faults)
      } else {
        const own = isRecord(message) ? message.blocks : undefined
        const faults = own === undefined ? [] : blockFaults(own, context, '/blocks')
        if (!isRecord(message) || faults.length > 0) throw refuse('invalid_message', faults)
      }
      return {}
    },
  }),
}
