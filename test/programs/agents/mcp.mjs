// An agent that knows a server of the Model Context Protocol, started beside it, and a fixed list of calls.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { call, refused } from './recorder.mjs'

const parsed = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const openServer = async (command, args, env = {}) => {
  const client = new Client({ name: 'program', version: '1.0.0' })
  await client.connect(
    new StdioClientTransport({ command, args, env: { ...process.env, ...env }, stderr: 'ignore' }),
  )
  const used = async (name, input) => {
    const { content, isError } = await client.callTool({ name, arguments: input }, undefined, {
      timeout: 120_000,
    })
    const text = (content ?? []).map((part) => part.text ?? '').join('\n')
    if (isError) throw new Error(text)
    return parsed(text)
  }
  const { tools } = await client.listTools()
  return {
    names: tools.map(({ name }) => name),
    tool: (name, input, isRight) => call(name, () => used(name, input), isRight),
    toolRefused: (name, input, words) => refused(name, () => used(name, input), words),
    close: () => client.close(),
  }
}
