import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** The pictures of the handbook, by the screenshot that each is a copy of. */
export const pictures: Readonly<Record<string, string>> = {
  'chat.png': 'worlds-wld-chat.png',
  'evaluation.png': 'evaluations-job.png',
  'ledger.png': 'worlds-wld-ledger.png',
  'trial.png': 'evaluations-job-trials-trl.png',
}

/** Takes the pictures from what `npm run console:shots` made. */
export const copyPictures = (root: string): void => {
  const folder = join(root, 'docs', 'pictures')
  mkdirSync(folder, { recursive: true })
  for (const [name, shot] of Object.entries(pictures))
    copyFileSync(join(root, 'artifacts', 'console-shots', '1440-light', shot), join(folder, name))
}
