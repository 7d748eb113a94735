import { type Sandbox, SandboxFault, type SandboxOptions } from './sandbox.ts'
export async function openProcessDriver(_options: SandboxOptions): Promise<Sandbox> {
  throw new SandboxFault('soon')
}
