import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../setup.mjs'
import { copyPictures } from './pictures.ts'
import { writeSite } from './site.ts'

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: resolve(root, 'artifacts/docs-site') },
    pictures: { type: 'boolean', default: false },
  },
})
if (values.pictures) copyPictures(root)
const out = resolve(values.out)
const pages = writeSite({ root, out })
process.stdout.write(`${pages.length} pages in ${out}\n`)
