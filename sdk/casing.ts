type CamelKey<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelKey<Rest>>}`
  : Name

/** A wire type with the names of its fields in camelCase. Free-form objects are left as they are. */
export type Camelized<T> = unknown extends T
  ? T
  : T extends readonly unknown[]
    ? { [K in keyof T]: Camelized<T[K]> }
    : T extends object
      ? string extends keyof T
        ? T
        : { [K in keyof T as K extends string ? CamelKey<K> : K]: Camelized<T[K]> }
      : T
