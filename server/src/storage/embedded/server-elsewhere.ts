import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { StorageFailure } from '../failure.ts'
import { socketIn } from './socket-folder.ts'

const waitMs = 30_000
const pollMs = 50

/**
 * A server that an earlier owner left in another PID namespace is not among the processes seen from here, but its
 * socket is. It is stopping, since its owner is gone: wait for that, and refuse the folder if it does not end.
 */
export const waitForServerElsewhere = async (home: string): Promise<void> => {
  const socket = socketIn(home)
  for (let waited = 0; await isListening(socket); waited += pollMs) {
    if (waited >= waitMs)
      throw new StorageFailure(
        'folder_in_use',
        `A database server in another container still uses the data folder ${home}. Stop that container, or choose ` +
          'another folder with DIORAMA_DATA_DIR.',
      )
    await pause(pollMs)
  }
}

const isListening = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path)
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    // A socket file that a killed server left refuses connections.
    socket.on('error', () => resolve(false))
  })
