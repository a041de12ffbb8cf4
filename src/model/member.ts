export interface Member {
  readonly platform: string;
  readonly id: string;
  /**
   * Id of the space that the person belongs to: what is stored of the person goes with it. Omitted by
   * platforms whose people belong to no space.
   */
  readonly homeId?: string;
  /** The name that others see; never used in a mention. */
  readonly name: string;
  /** BCP 47, as the person's app says it. */
  readonly locale: string;
  readonly role: 'member' | 'moderator';
  /** Ids of the space's roles that the person has, where the platform has such. */
  readonly roles?: readonly string[];
}

/** A person of a platform, in any of its spaces. */
export type Person = Pick<Member, 'platform' | 'id' | 'homeId'>;
