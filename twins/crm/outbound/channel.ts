import type { DeliveryAnswer, DeliveryChannel, Emission } from '@diorama/twin-kit/kernel/deliveries'
import type { Call } from '@diorama/twin-kit/kernel/twin'
import { escapeXml, find, readXml, textIn } from '../soap/xml.ts'

const minuteMs = 60_000
/** Twice as long each time, up to two hours; a message that is not acknowledged within a day is dropped. The first pause is chosen. */
const retryAfterMs = [
  ...[1, 2, 4, 8, 16, 32, 64].map((minutes) => minutes * minuteMs),
  ...Array.from({ length: 10 }, () => 120 * minuteMs),
]

interface Sent {
  readonly organizationId: string
  readonly actionId: string
  readonly enterpriseUrl: string
  readonly partnerUrl: string
  readonly object: string
  readonly notifications: readonly {
    readonly id: string
    readonly record: Readonly<Record<string, unknown>>
  }[]
}

const element = (name: string, value: unknown): string => `<${name}>${escapeXml(String(value))}</${name}>`

const envelope = ({ payload, secret }: Emission): string => {
  const sent = payload as unknown as Sent
  const notifications = sent.notifications.map(({ id, record }) => {
    const fields = Object.entries(record).map(([name, value]) => element(`sf:${name}`, value))
    return `<Notification>${element('Id', id)}<sObject xsi:type="sf:${sent.object}" xmlns:sf="urn:sobject.enterprise.soap.sforce.com">${fields.join('')}</sObject></Notification>`
  })
  const session = secret === undefined ? '<SessionId xsi:nil="true"/>' : element('SessionId', secret)
  return `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body><notifications xmlns="http://soap.sforce.com/2005/09/outbound">${element('OrganizationId', sent.organizationId)}${element('ActionId', sent.actionId)}${session}${element('EnterpriseUrl', sent.enterpriseUrl)}${element('PartnerUrl', sent.partnerUrl)}${notifications.join('')}</notifications></soapenv:Body></soapenv:Envelope>`
}

/** Only the word of acknowledgement counts; a success without it is tried again. */
const isAcknowledged = ({ status, body }: DeliveryAnswer): boolean => {
  if (status !== 200) return false
  const response = find(readXml(body), 'Body', 'notificationsResponse')
  return textIn(response, 'Ack') === 'true'
}

/** Outbound messages: SOAP calls to the receiver's own web service, each retried on its own. */
export const outboundChannel: DeliveryChannel<Call> = {
  transport: 'http',
  timeoutMs: minuteMs,
  retryAfterMs,
  request: (emission) => ({
    method: 'POST',
    headers: { 'content-type': 'text/xml; charset=UTF-8', soapaction: '""' },
    body: envelope(emission),
  }),
  judge: (answer) => (isAcknowledged(answer) ? 'delivered' : 'retry'),
}
