import type { SandboxPaths } from '@diorama/sandbox/sandbox'
import { pythonFolder } from './install.ts'

/** How programs find their dependencies in the home; Node looks there without being told. */
export const dependencyVariables = (
  { home }: Pick<SandboxPaths, 'home'>,
  env: Readonly<Record<string, string>>,
): Record<string, string> => ({
  PYTHONPATH: [`${home}/${pythonFolder}`, env.PYTHONPATH].filter(Boolean).join(':'),
})
