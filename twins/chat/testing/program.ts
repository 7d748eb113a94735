import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const preload = fileURLToPath(new URL('../../../sandbox/preload/redirect.mjs', import.meta.url))
const run = promisify(execFile)

/** Runs a program to its end and gives what it printed. */
export const runProgram = async (
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const { stdout } = await run(command, [...args], {
    cwd: root,
    timeout: 20_000,
    env: { PATH: process.env.PATH ?? '', ...env },
  })
  return stdout
}

export const hasProgram = async (command: string): Promise<boolean> => {
  try {
    await run(command, ['--version'], { timeout: 20_000 })
    return true
  } catch {
    return false
  }
}

export interface McpProgram {
  /** Path of the program below the repository's root. */
  readonly path: string
  readonly env: Readonly<Record<string, string>>
  /** Where requests for the real hosts go. */
  readonly twin: string
}

/** Starts an MCP server that knows only the real host names, with those turned to the twin. */
export const startMcp = async ({ path, env, twin }: McpProgram) => {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const redirects = JSON.stringify({ 'slack.com': twin, '*.slack.com': twin })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ['--import', preload, `${root}${path}`],
      env: { PATH: process.env.PATH ?? '', DIORAMA_REDIRECTS: redirects, ...env },
      stderr: 'ignore',
    }),
  )
  return {
    /** Calls a tool and reads the JSON that it answers with. */
    tool: async (name: string, args: Record<string, unknown>): Promise<unknown> => {
      const { content } = await client.callTool({ name, arguments: args })
      const [first] = content as { text?: string }[]
      return JSON.parse(first?.text ?? 'null')
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}
