import type { Space } from '../../../src/model/place.ts';

/** The app in one workspace. */
export interface Installed {
  readonly space: Space;
  readonly appId: string;
  readonly botId: string;
  readonly botUserId: string;
  /** The name by which people mention the app. */
  readonly botName: string;
  /** The scopes that it was given; undefined where Slack did not say. */
  readonly scopes: ReadonlySet<string> | undefined;
  /** The workspace's own address, e.g. `https://team.slack.com/`. */
  readonly url: string;
}

export interface InstallationsListener {
  /** Takes a space that installs the app, before anything of it is stored. */
  readonly adding: (space: Space) => Promise<void>;
  /**
   * Takes workspaces that have the app, also those that install it again.
   *
   * @param installerId the person who installed it in one that did not have it
   */
  readonly added: (spaces: readonly Space[], installerId?: string) => void;
  /**
   * Takes the spaces whose installation came, went or was replaced since they were read, in whichever process;
   * with an organisation those that use its installation.
   */
  readonly changed: (spaces: readonly Space[]) => void;
}

export interface Installations {
  /** Reads what is known of them, before anything arrives. Rejects with an `AppError`. */
  load(): Promise<void>;
  /** Follows the changes of every process, this one included. Returns the function that ends this. */
  watch(listener: InstallationsListener): () => void;
  /** Finds the app's installation in a workspace; undefined where it is not installed. */
  known(space: Space): Installed | undefined;
  /** The workspace itself, or the organisation whose installation it uses. */
  ownerOf(space: Space): Space;
  /** A token that can be used; undefined where the app is not installed. */
  tokenOf(space: Space): Promise<string | undefined>;
  /** The token that is known at the moment, which may be over; undefined where the app is not installed. */
  tokenKnown(space: Space): string | undefined;
  /** Takes the news that Slack does not accept a token any more. */
  tokenRefused(space: Space, token: string): void;
  /** Every workspace that is known; those of an organisation in its place. */
  list(): readonly Space[];
  /** Notes workspaces that use the installation of their organisation. */
  joined(spaces: readonly Space[], organisationId: string): Promise<void>;
  /**
   * Takes the news that workspaces may use the installation of their organisation no longer. Rejects
   * with an `AppError` where Slack did not say if they still may.
   *
   * @param remove takes those that may not, before one of them can join again
   */
  parted(
    spaces: readonly Space[],
    organisationId: string,
    remove: (gone: readonly Space[]) => Promise<void>,
  ): Promise<void>;
  /**
   * Takes the news that the tokens of a workspace or organisation ended, or with `isWhole` that the
   * app was removed. It is outdated where Slack still accepts the token: the app was installed again.
   * Rejects with an `AppError` where Slack did not say.
   *
   * @param remove takes all spaces from which the app was removed, before one of them can install it
   * again
   */
  ended(
    space: Space,
    isWhole: boolean,
    remove: (gone: readonly Space[]) => Promise<void>,
  ): Promise<void>;
  /** Resolves once tokens that were renewed are stored, or cannot be. */
  settled(): Promise<void>;
}
