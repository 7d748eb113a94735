import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './sources.ts'

export interface Block {
  readonly page: string
  readonly line: number
  /** What follows the three backticks, such as `sh run`. */
  readonly info: string
  readonly text: string
}

/** The pages whose blocks are held to what they say. */
export const pages = (): string[] => [
  ...readdirSync(join(root, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => `docs/${file}`),
  'python/README.md',
  'examples/README.md',
]

export const blocksOf = (page: string, markdown = readFileSync(join(root, page), 'utf8')): Block[] =>
  [...markdown.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(({ index, 1: info = '', 2: text = '' }) => ({
    page,
    line: markdown.slice(0, index).split('\n').length,
    info: info.trim(),
    text,
  }))
