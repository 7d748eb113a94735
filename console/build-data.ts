import { readFileSync } from 'node:fs'
import { allRoutes } from '@diorama/contract'
import { installed } from '@diorama/twins/installed'
import type { Plugin } from 'vite'

const kinds = () =>
  installed.map(({ kind, label, icon, sampleRead, primaryFields, noise, valueNames }) => ({
    kind,
    label,
    icon,
    sampleRead,
    primaryFields,
    noise,
    valueNames,
  }))

const routes = () =>
  Object.fromEntries(Object.entries(allRoutes).map(([name, { method, path }]) => [name, [method, path]]))

/** The sources of the example agents that the demo runs. */
const demoAgents = () =>
  Object.fromEntries(
    ['careful', 'careless'].map((name) => [
      name,
      readFileSync(new URL(`../examples/agents/${name}/agent.mjs`, import.meta.url), 'utf8'),
    ]),
  )

const modules: Readonly<Record<string, () => unknown>> = {
  'virtual:kinds': kinds,
  'virtual:routes': routes,
  'virtual:demo-agents': demoAgents,
}

/** Gives the console the tables it needs of the contract and the twins as plain data, without their schemas. */
export const buildData = (): Plugin => ({
  name: 'diorama-build-data',
  resolveId: (id) => (Object.hasOwn(modules, id) ? `\0${id}` : undefined),
  load: (id) => {
    const made = id.startsWith('\0') ? modules[id.slice(1)] : undefined
    return made && `export default ${JSON.stringify(made())}`
  },
})
