import type { TaskContainer } from '@diorama/contract'
import type { HostImages } from '@diorama/sandbox/images/host-images'
import { BadImage, type HeldImage } from '@diorama/sandbox/images/image'
import { whyNotWritable } from '@diorama/sandbox/images/writable-folders'
import { type ImageUse, type Sandbox, SandboxFault } from '@diorama/sandbox/sandbox'
import { AttemptVoided } from '../voided.ts'

const logs = '/logs'
/** Where agents leave things for a verifier by convention. */
export const artifactsFolder = `${logs}/artifacts`

export interface ContainerDeps {
  readonly sandbox: Sandbox
  readonly hostImages: HostImages
}

/** How an agent uses the image of its task: it works in one folder of it, and leaves things there or in the logs. */
export const agentUse = ({ workdir, artifacts }: TaskContainer, image: HeldImage): ImageUse => {
  const start = workdir ?? image.config.workingDir ?? '/'
  const why = whyNotWritable(start)
  if (why !== undefined) throw unusable(`The working directory ${start} of the task's image ${why}.`)
  return {
    writable: [start, logs],
    emptied: [`${logs}/agent`, `${logs}/verifier`, artifactsFolder],
    collect: [artifactsFolder, ...artifacts],
    start,
  }
}

/** Runs with an image of the deployment. Whatever prevents that is never the agent's fault. */
export const withImage = async <Result>(
  { sandbox, hostImages }: ContainerDeps,
  reference: string,
  act: (image: HeldImage) => Promise<Result>,
): Promise<Result> => {
  const found = await sandbox.images.available()
  if ('unavailable' in found) throw unusable(`Images cannot be run here: ${found.unavailable}.`)
  const source = await hostImages.find(reference)
  if (!source) throw unusable(`The deployment no longer has the image ${reference} (DIORAMA_IMAGES).`)
  try {
    using image = await sandbox.images.hold(source)
    return await act(image)
  } catch (error) {
    if (error instanceof BadImage) throw unusable(`The image ${reference} cannot be used: ${error.message}`)
    if (error instanceof SandboxFault) throw new AttemptVoided('platform', error.message)
    throw error
  }
}

const unusable = (reason: string): AttemptVoided => new AttemptVoided('platform', reason, { isFinal: true })
