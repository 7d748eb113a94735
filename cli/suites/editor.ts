import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Complaint } from '../failure.ts'
import type { Terminal } from '../terminal.ts'

/** A text as the user leaves it in an editor; undefined where nothing was changed. */
export const edited = async (
  text: string,
  name: string,
  { env, cwd }: Terminal,
): Promise<string | undefined> => {
  const editor = env.VISUAL || env.EDITOR
  if (!editor) throw new Complaint('Set EDITOR to your editor, or make the changes with options.')
  const folder = await mkdtemp(join(tmpdir(), 'diorama-edit-'))
  try {
    const path = join(folder, name)
    await writeFile(path, text)
    // EDITOR may have options, which is for the shell to read; the path is passed beside it.
    const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', path], { cwd, env, stdio: 'inherit' })
    const [status] = await once(child, 'exit')
    if (status !== 0) throw new Complaint(`The editor exited with ${status}. Nothing was changed.`)
    const after = await readFile(path, 'utf8')
    return after === text ? undefined : after
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
