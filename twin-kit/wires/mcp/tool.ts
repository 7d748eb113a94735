import { z } from 'zod'
import type { Coverage, Session, Tables, TwinRequest, VendorError } from '../../kernel/twin.ts'

/** One block of a tool's answer. */
export type McpContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }

/** An answer of several blocks; any other value that a tool returns becomes one block of text. */
export class McpAnswer {
  readonly content: readonly McpContent[]
  constructor(content: readonly McpContent[]) {
    this.content = content
  }
}

/** What a tool works with besides its arguments. */
export interface McpContext<T extends Tables = Tables> {
  readonly session: Session<T>
  readonly request: TwinRequest
}

/** One tool of a face. Everything it changes passes the twin's operations, and is taken back whole when it fails. */
export interface McpTool<T extends Tables = Tables> {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly effect: 'read' | 'write'
  /** Whether it takes something away that was there. */
  readonly destructive?: boolean
  /** An older name that is still answered, and no longer listed. */
  readonly unlisted?: boolean
  readonly input: z.ZodType
  // biome-ignore lint/suspicious/noExplicitAny: tools of different arguments live in one list; `mcpTool` gives each its own types.
  readonly run: (context: McpContext<T>, args: any) => unknown
  /** What is left out of it, for the coverage. */
  readonly missing?: string
  readonly evidence?: Coverage['evidence']
}

/** Writes a tool with the types of its arguments. */
export const mcpTool = <T extends Tables, I extends z.ZodType>(
  written: Omit<McpTool<T>, 'input' | 'run'> & {
    readonly input: I
    readonly run: (context: McpContext<T>, args: z.output<I>) => unknown
  },
): McpTool<T> => written

/** One address of a face, and which of its tools are served there; all of them when left out. */
export interface McpEndpoint {
  readonly includes?: (tool: Pick<McpTool, 'name' | 'effect' | 'destructive'>) => boolean
}

/** A twin as a server of the Model Context Protocol. */
export interface McpFace<T extends Tables = Tables> {
  readonly serverInfo: { readonly name: string; readonly title?: string; readonly version: string }
  readonly instructions?: string
  /** Real host names that serve nothing but this face. Requests without one are distinguished by their path. */
  readonly hosts: readonly string[]
  /** The endpoint at a path; undefined where the path is none. */
  readonly endpoint: (path: string) => McpEndpoint | undefined
  /** Reports who is calling to the session, by the native credential sent as bearer token; false where the credential is not valid. */
  readonly authenticate: (request: TwinRequest, session: Session<T>) => boolean
  readonly tools: readonly McpTool<T>[]
  /** Tools of the real server that the twin does not have. */
  readonly notEmulated: readonly string[]
  /** The vendor's refusal as the text of a failed call. */
  readonly refusal: (error: VendorError) => string
  /** Scopes that the metadata of its authorization names. */
  readonly scopes?: readonly string[]
  /** Tools on one page of a list; all of them when left out. */
  readonly pageSize?: number
}

/** The endpoints of a face that has one. */
export const onlyEndpoint = (path: string): McpEndpoint | undefined => (path === '/mcp' ? {} : undefined)

/** The name under which a call is recorded in the ledger and listed in the coverage. */
export const callOf = (tool: string): string => `tools/call ${tool}`

const schemas = new WeakMap<McpTool, unknown>()

/** The arguments as JSON Schema, memoised: a list of tools is asked for more often than it changes. */
export const inputSchemaOf = (tool: McpTool): unknown => {
  const known = schemas.get(tool)
  if (known !== undefined) return known
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input, { io: 'input', target: 'draft-7' })
  schemas.set(tool, schema)
  return schema
}
