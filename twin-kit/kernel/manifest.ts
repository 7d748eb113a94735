import type { z } from 'zod'
import type { Findings } from './findings.ts'

/**
 * What the rest of the product knows of a kind without running it: how its blueprint section looks and is checked, and
 * how the kind is named, reached, redacted and shown. A manifest is plain data and pure functions over it, light enough
 * for a browser; the running half is the `Twin` in `twin.ts` beside it.
 */
export interface TwinManifest<Kind extends string = string, Section extends z.ZodType = z.ZodType> {
  /** What a service of this kind is called everywhere outside the twin's folder, such as `chat`. */
  readonly kind: Kind
  /** The kind's name for people, such as "Chat". */
  readonly label: string
  /** Other spellings of the kind that input may use. */
  readonly aliases: readonly string[]
  /** The path of an SVG icon on a grid of 16 by 16, drawn as strokes. */
  readonly icon: string
  /** What the twin was written against, such as "a vendor and its API, as documented 2026-06". */
  readonly standsFor: string
  /** Real host names whose traffic reaches this twin; `*.` matches any one or more labels. */
  readonly hosts: readonly string[]
  /** Ports besides 80 and 443 on which clients of the real service may connect. */
  readonly ports: readonly number[]
  /** Its section of a blueprint. */
  readonly section: Section
  /** Reports what is wrong with the meaning of a section that has the right shape. Pointers start at the section. */
  check(section: z.output<Section>, context: CheckContext): void
  /** What the keys are that a story may reference, for the documentation: "channel name or message key". */
  readonly keyNames: string
  /** The keys of a section that a story's touchpoints may reference. */
  keys(section: z.output<Section>): readonly string[]
  /** The section with which a standalone twin starts where the sample company has none of this kind. */
  readonly sample?: z.input<Section>
  /** What the credentials look like, as sources of regular expressions, so that logs can redact them. */
  readonly secrets: readonly string[]
  /** One read that shows the service answering in its own native form. */
  readonly sampleRead: SampleRead
  /** For each collection, the fields that people look at first, the one that names the record in front. */
  readonly primaryFields: Readonly<Record<string, readonly string[]>>
  /** Fields whose changes follow from others (timestamps, counters): left out of summaries of a diff. */
  readonly noise: Readonly<Record<string, readonly string[]>>
  /** What the values 0, 1, 2 … of a field are called, by collection and field. */
  readonly valueNames?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  /** The resources that a blueprint's legacy checks may name. */
  readonly legacyResources?: readonly string[]
  /** Where this manifest is; `twin.ts` is beside it and exports the twin under the name of its kind. */
  readonly url: string
}

// biome-ignore lint/suspicious/noExplicitAny: a list of manifests holds sections of every shape.
export type AnyManifest = TwinManifest<string, z.ZodType<any, any>>

/** What the checks of a section know of the rest of the blueprint. */
export interface CheckContext {
  readonly findings: Findings
  /** The handles of the company's people. */
  readonly handles: ReadonlySet<string>
  /** The story's now, as it is written in the blueprint. */
  readonly clock: string
}

export interface SampleRead {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  /** What precedes the token in the Authorization header, such as `Bearer `. */
  readonly scheme: string
}

/** Keeps the literal kind and the section's own schema in the type. */
export const defineManifest = <const Kind extends string, Section extends z.ZodType>(
  manifest: TwinManifest<Kind, Section>,
): TwinManifest<Kind, Section> => manifest
