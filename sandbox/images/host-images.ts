import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type ImageSource, imageLimits } from './image.ts'
import { archiveFiles, folderFiles } from './image-files.ts'

/** Images in a folder of the operator: folders in the OCI image layout and archives of `docker save`, by their name. */
export interface HostImages {
  find(reference: string): Promise<ImageSource | undefined>
}

/** A name has no part that could lead out of the folder. */
const referenceForm = /^([a-z0-9]+(?:[._/-]+[a-z0-9]+)*)(?::([\w][\w.-]{0,127}))?$/
const archiveEndings = ['.tar', '.tar.gz']

export const createHostImages = (folder: string | undefined): HostImages => ({
  find: async (reference) => {
    const [, name, tag] = referenceForm.exec(reference) ?? []
    if (folder === undefined || name === undefined || name.includes('..')) return undefined
    const place = join(folder, name)
    const index = await readFile(join(place, 'index.json')).catch(() => undefined)
    if (index) {
      const key = createHash('sha256').update(place).update(index).digest('hex')
      return { key, tag, files: async () => folderFiles(place) }
    }
    for (const ending of archiveEndings) {
      const path = `${place}${ending}`
      const found = await stat(path).catch(() => undefined)
      if (!found?.isFile()) continue
      const key = `${path} ${found.size} ${found.mtimeMs}`
      return { key, tag, files: (spool) => archiveFiles(createReadStream(path), spool, imageLimits) }
    }
    return undefined
  },
})
