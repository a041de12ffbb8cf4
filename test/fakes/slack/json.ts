/** JSON as it goes over the wire. */
export type Json = Record<string, unknown>;
