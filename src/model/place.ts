/** What the platforms share. Ids are opaque and only unique within their platform. */

/** A server, workspace or page: the place that owns channels, a glossary and settings. */
export interface Space {
  readonly platform: string;
  readonly id: string;
}

export interface Channel {
  readonly space: Space;
  readonly id: string;
  /** Of a thread: the channel that it belongs to. */
  readonly parentId?: string;
}

export const isSameChannel = (a: Channel, b: Channel): boolean =>
  a.id === b.id && a.space.platform === b.space.platform;

export interface MessageRef {
  readonly channel: Channel;
  readonly id: string;
}

/** A message of ours: a platform may have had to split it, or to put it together with others. */
export interface Posted {
  readonly channel: Channel;
  /** Of its parts, in order. */
  readonly ids: readonly [string, ...string[]];
  /** What the adapter needs to find it again; opaque to everybody else. */
  readonly handle?: string;
}
