import { installed } from '@diorama/twins/installed'
import { z } from 'zod'

type Installed = (typeof installed)[number]
export type TwinKind = Installed['kind']

/** The services that a world can hold. Everywhere outside a twin's own folder a service is called by its kind. */
export const twinKinds: readonly TwinKind[] = installed.map(({ kind }) => kind)

/** Spellings taken on input as the same kinds. Output always says the kind. */
export const kindSpellings: Readonly<Record<string, TwinKind>> = Object.fromEntries(
  installed.flatMap(({ kind, aliases }) => aliases.map((alias) => [alias, kind])),
)

/** Ports besides 80 and 443 on which clients of the services connect. */
export const servicePorts: readonly number[] = [...new Set(installed.flatMap(({ ports }) => [...ports]))]

/** What the services' credentials look like, as sources of regular expressions, so that logs can redact them. */
export const serviceSecrets: readonly string[] = installed.flatMap(({ secrets }) => [...secrets])

/** A kind, in any of its spellings. */
export const TwinKind = z.preprocess(
  (value) => (typeof value === 'string' ? (kindSpellings[value] ?? value) : value),
  z.enum(twinKinds),
)
