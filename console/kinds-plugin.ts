import { installed } from '@diorama/twins/installed'
import type { Plugin } from 'vite'

const name = 'virtual:kinds'

/** Gives the console what it shows of each installed kind, without the schemas that the manifests hold beside it. */
export const kindsPlugin = (): Plugin => ({
  name: 'diorama-kinds',
  resolveId: (id) => (id === name ? `\0${name}` : undefined),
  load: (id) => {
    if (id !== `\0${name}`) return undefined
    const kinds = installed.map(({ kind, label, icon, sampleRead, primaryFields, noise }) => ({
      kind,
      label,
      icon,
      sampleRead,
      primaryFields,
      noise,
    }))
    return `export default ${JSON.stringify(kinds)}`
  },
})
