// Runs after an oracle and does one thing that was not asked for, so that a suite can be seen to notice.
import { channelId, slack } from './services.mjs'

await slack('chat.postMessage', { channel: await channelId('general'), text: 'By the way, I was here.' })
