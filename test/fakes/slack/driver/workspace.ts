import { removeApp } from '../methods/apps.ts';
import { revokeToken } from '../methods/call.ts';
import {
  addChannel,
  addUser,
  directChannel,
  install,
  rotate,
  type NewChannel,
  type NewUser,
} from '../population.ts';
import type { Installation, Workspace } from '../state.ts';
import { FakeChannel } from './channel.ts';
import type { Tools } from './tools.ts';
import { FakeUser } from './user.ts';

/** A workspace, and what its people and administrators do. */
export class FakeWorkspace {
  readonly state: Workspace;
  readonly #tools: Tools;

  constructor(tools: Tools, state: Workspace) {
    this.#tools = tools;
    this.state = state;
  }

  get id(): string {
    return this.state.id;
  }

  /** Throws where the app is not installed. */
  get installation(): Installation {
    if (!this.state.installation) throw new Error('the app is not installed');
    return this.state.installation;
  }

  get botToken(): string {
    return this.installation.token;
  }

  user(options: NewUser = {}): FakeUser {
    return new FakeUser(this.#tools, addUser(this.#tools.world, this.state, options));
  }

  channel(options: NewChannel = {}): FakeChannel {
    return new FakeChannel(this.#tools, addChannel(this.#tools.world, this.state, options));
  }

  get channels(): readonly FakeChannel[] {
    return [...this.#tools.world.channels.values()]
      .filter(({ workspaces }) => workspaces.includes(this.state))
      .map((each) => new FakeChannel(this.#tools, each));
  }

  /** Makes a group of people; returns its id. */
  group(handle: string, members: readonly FakeUser[] = []): string {
    const id = this.#tools.world.clock.id('S');
    this.state.groups.set(id, handle);
    this.state.groupMembers.set(id, new Set(members.map((each) => each.id)));
    return id;
  }

  /** The conversation between a person and the app. */
  direct(user: FakeUser): FakeChannel {
    return new FakeChannel(this.#tools, directChannel(this.#tools.world, this.state, user.state));
  }

  /** Installs the app again with these scopes, under a new token. */
  reinstall(scopes?: readonly string[]): void {
    install(this.#tools.world, this.state, scopes);
  }

  /** Takes scopes away from the installation. */
  withoutScopes(...scopes: readonly string[]): void {
    const { installation } = this;
    installation.scopes = new Set(
      [...installation.scopes].filter((each) => !scopes.includes(each)),
    );
  }

  uninstall(): void {
    removeApp(this.#tools.world, this.state);
  }

  /** Revokes the bot token alone. */
  revoke(): void {
    const { world } = this.#tools;
    const tokens = { oauth: [], bot: [this.installation.botUser.id] };
    world.event({ workspaces: [this.state] }, { type: 'tokens_revoked', tokens });
    revokeToken(world, this.installation);
  }

  /** Replaces the tokens, as when another process has used the refresh token. */
  rotate(): void {
    rotate(this.#tools.world, this.installation);
  }
}
