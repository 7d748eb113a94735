import { BadImage, type ImageSource } from '@diorama/sandbox/images/image'
import type { SharedSandbox } from '@diorama/sandbox/shared-sandbox'

/** Why an image cannot be used, if it cannot; nothing where this process cannot say. */
export const checkImageIn =
  (sandbox: Pick<SharedSandbox, 'open'>) =>
  async (source: ImageSource): Promise<string | undefined> => {
    const opened = await sandbox.open()
    if (!('sandbox' in opened) || 'unavailable' in (await opened.sandbox.images.available())) return undefined
    try {
      using _image = await opened.sandbox.images.hold(source)
      return undefined
    } catch (error) {
      if (error instanceof BadImage) return error.message
      throw error
    }
  }
