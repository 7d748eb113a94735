import { nameObject, narrowObject, type ObjectSchema, type Schema } from '../../schema/schema.ts'
import type { Access } from './access.ts'

/** The schema as a user sees it: without objects and fields that the user may not read, and with the user's own rights. */
export const visibleSchema = (schema: Schema, access: Access): Schema => {
  if (!access.enforced) return schema
  const narrowed = new Map<string, ObjectSchema | undefined>()
  const see = (object: ObjectSchema): ObjectSchema | undefined => {
    if (!narrowed.has(object.name)) narrowed.set(object.name, narrow(object, access))
    return narrowed.get(object.name)
  }
  return {
    ...schema,
    get objects() {
      return schema.objects.map(see).filter((object) => object !== undefined)
    },
    object: (name) => {
      const object = schema.object(name)
      return object && see(object)
    },
    withPrefix: (prefix) =>
      schema
        .withPrefix(prefix)
        .map(see)
        .filter((object) => object !== undefined),
  }
}

const narrow = (object: ObjectSchema, { permissions }: Access): ObjectSchema | undefined => {
  if (object.name === nameObject) return object
  const rights = permissions.object(object)
  if (!rights.read) return undefined
  const fields = object.fields
    .filter((field) => field.type === 'id' || permissions.field(object, field) !== 'none')
    .map((field) =>
      permissions.field(object, field) === 'edit'
        ? field
        : { ...field, createable: false, updateable: false },
    )
  return narrowObject(object, {
    fields,
    createable: object.createable && rights.create,
    updateable: object.updateable && rights.edit,
    deletable: object.deletable && rights.delete,
  })
}
