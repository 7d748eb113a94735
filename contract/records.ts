export { isRecord } from '@diorama/twin-kit/records'
