import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { busyOrganization, requestOf } from './testing/setup.ts'

const multipart = (fields: object, bytes: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      `--edge\r\nContent-Disposition: form-data; name="entity_content"\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(fields)}\r\n--edge\r\nContent-Disposition: form-data; name="VersionData"; filename="photo.png"\r\nContent-Type: application/octet-stream\r\n\r\n`,
    ),
    bytes,
    Buffer.from('\r\n--edge--'),
  ])

describe('a file', () => {
  const bytes = Buffer.from([0, 255, 13, 10, 45, 45, 98, 0x80])
  const upload = (organization: ReturnType<typeof busyOrganization>, body: Buffer) =>
    organization.instance.handle(
      {
        ...requestOf('POST', '/sobjects/ContentVersion', organization.token, undefined, {
          'content-type': 'multipart/form-data; boundary="edge"',
        }),
        body,
      },
      testCompany.clock,
    ).step.reply

  it('is uploaded as multipart, and its bytes are read from the address that the record gives', () => {
    const organization = busyOrganization()
    const reply = upload(organization, multipart({ PathOnClient: 'photo.png' }, bytes))
    assert.equal(reply.status, 201)
    const { id } = JSON.parse(String(reply.body))
    const { body } = organization.call('GET', `/sobjects/ContentVersion/${id}`)
    assert.equal(body.VersionData, `/services/data/v62.0/sobjects/ContentVersion/${id}/VersionData`)
    assert.equal(body.ContentSize, bytes.length)
    const blob = organization.instance.handle(
      requestOf('GET', body.VersionData, organization.token),
      testCompany.clock,
    ).step.reply
    assert.deepEqual(Buffer.from(blob.body as Uint8Array), bytes)
    assert.equal(blob.headers['content-type'], 'application/octet-stream')
  })

  it('is refused where a part is missing or the bytes are not base64', () => {
    const organization = busyOrganization()
    const broken = upload(organization, Buffer.from('--edge\r\nnothing'))
    assert.equal(JSON.parse(String(broken.body))[0].errorCode, 'INVALID_MULTIPART_REQUEST')
    const wrong = organization.call('POST', '/sobjects/ContentVersion', {
      PathOnClient: 'x.txt',
      VersionData: 'not base64!',
    })
    assert.deepEqual([wrong.status, wrong.body[0].errorCode], [400, 'JSON_PARSER_ERROR'])
  })

  it('goes with its versions and links when its document is deleted', () => {
    const organization = busyOrganization()
    const id = organization.create('ContentVersion', {
      PathOnClient: 'x.txt',
      VersionData: 'eA==',
      FirstPublishLocationId: organization.key('leak'),
    })
    const { ContentDocumentId } = organization.call('GET', `/sobjects/ContentVersion/${id}`).body
    assert.equal(organization.call('DELETE', `/sobjects/ContentDocument/${ContentDocumentId}`).status, 204)
    const gone = organization.call('GET', `/sobjects/ContentVersion/${id}`)
    assert.deepEqual([gone.status, gone.body[0].errorCode], [404, 'ENTITY_IS_DELETED'])
  })
})
