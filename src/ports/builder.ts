import type { Member, Space } from '../model/place.ts';

/** A thing to make in a space. Channels have the permissions, the category and the age restriction of their source. */
export type NewThing =
  /** A role without permissions, which nobody can mention. */
  | { readonly kind: 'role'; readonly name: string }
  | { readonly kind: 'category'; readonly name: string }
  | {
      readonly kind: 'channel';
      readonly name: string;
      /** Id of the channel that it is like. */
      readonly source: string;
      /** Id of the category it is in. Default: that of its source. */
      readonly category?: string | undefined;
      /** Id of the role that alone sees it. Default: everybody who sees its source does. */
      readonly seenBy?: string | undefined;
    }
  | { readonly kind: 'thread'; readonly name: string; readonly source: string };

export type ThingKind = NewThing['kind'];

export interface MadeThing {
  readonly kind: ThingKind;
  readonly id: string;
}

/** A thing that is left to people, by its name. */
export type LeftThing = MadeThing & { readonly name: string };

export interface FoundThing {
  readonly id: string;
  /** True where the platform says that the bot made it; others may have given theirs the same name. */
  readonly isOurs: boolean;
}

/** All that is to be made at once. */
export interface BuildNeeds {
  readonly place: 'channel' | 'thread';
  /** The channels to start from, each with the number of those that are to be made for it. */
  readonly sources: readonly { readonly id: string; readonly count: number }[];
  readonly roles: number;
  /** True where channels are to be seen by one role alone. */
  readonly hidden: boolean;
}

export interface Survey {
  /** Names of the sources, by their ids. */
  readonly names: Readonly<Record<string, string>>;
  /** Ids of the sources whose new channels need a category of their own: theirs has no room for them. */
  readonly apart: readonly string[];
}

/** The roles of a space that members get from the bot. */
export interface BuiltRoles {
  /** True of a role that is there, has no permissions, and that the bot may give. */
  isSafe(space: Space, roleId: string): Promise<boolean>;
  /** Gives a member a role, or takes it. */
  set(space: Space, memberId: string, roleId: string, isGiven: boolean): Promise<void>;
}

/** Makes channels, threads and roles. Every method rejects with an `AppError`. */
export interface Builder {
  readonly threads: boolean;
  readonly roles?: BuiltRoles;
  /** Rejects with `forbidden` where a person may not make such things themselves, and says which permission they lack, or the bot. */
  demand(
    space: Space,
    person: Pick<Member, 'platform' | 'id' | 'roles'>,
    needs: BuildNeeds,
  ): Promise<void>;
  /** Rejects where a permission is missing, a source is unfit, or there is no room for all that is to be made. */
  survey(space: Space, needs: BuildNeeds): Promise<Survey>;
  /** The name that a thing gets where nothing else has it. */
  readonly nameOf: (thing: NewThing) => string;
  /** Makes a thing, without a second try where the answer is lost; resolves with its id. */
  make(space: Space, thing: NewThing): Promise<string>;
  /**
   * Finds what `make` made though its answer was lost.
   *
   * @param sinceMs it is younger, ms since 1970
   * @param known ids of others like it
   */
  find(
    space: Space,
    thing: NewThing,
    sinceMs: number,
    known: readonly string[],
  ): Promise<FoundThing | undefined>;
  /** Filters out the things that are there no more. */
  standing(space: Space, things: readonly MadeThing[]): Promise<readonly MadeThing[]>;
  /** Deletes a thing, or closes it where the platform deletes none. One that is gone already is no error. */
  remove(space: Space, thing: MadeThing): Promise<void>;
}
