export { isRecord, jsonIn } from '@diorama/twin-kit/records'
