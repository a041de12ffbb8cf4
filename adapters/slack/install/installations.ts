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

/** The workspaces that have the app. */
export interface Installations {
  /** Reads what is known of them, before anything arrives. Rejects with an `AppError`. */
  load(): Promise<void>;
  /** Finds the app's installation in a workspace; undefined where it is not installed. */
  known(space: Space): Installed | undefined;
  /** A token that can be used; undefined where the app is not installed. */
  tokenOf(space: Space): Promise<string | undefined>;
  /** Takes the news that Slack does not accept a token any more. */
  tokenRefused(space: Space, token: string): void;
  /** Every workspace that is known. */
  list(): readonly Space[];
  /** Notes that a workspace belongs to an organisation that installed the app as a whole. */
  joined(space: Space, organisationId: string): Promise<void>;
  /** Forgets a workspace and its tokens. */
  remove(space: Space): Promise<void>;
}
