import { revokeToken } from '../methods/call.ts';
import { grant, revoke } from '../organisations.ts';
import { addWorkspace } from '../population.ts';
import type { Organisation } from '../state.ts';
import type { Tools } from './tools.ts';
import { FakeWorkspace } from './workspace.ts';

/** An organisation, and what its administrators do. */
export class FakeOrganisation {
  readonly state: Organisation;
  readonly #tools: Tools;

  constructor(tools: Tools, state: Organisation) {
    this.#tools = tools;
    this.state = state;
  }

  get id(): string {
    return this.state.id;
  }

  /** A workspace of the organisation, without the app. */
  workspace(name?: string): FakeWorkspace {
    const { world } = this.#tools;
    return new FakeWorkspace(
      this.#tools,
      addWorkspace(world, {
        ...(name === undefined ? {} : { name }),
        enterpriseId: this.id,
        installed: false,
      }),
    );
  }

  /** Adds workspaces to the organisation's installation. */
  grant(...workspaces: readonly FakeWorkspace[]): void {
    for (const { state } of workspaces) grant(this.#tools.world, this.state, state);
    this.#tell('team_access_granted', workspaces);
  }

  /** Takes workspaces out of the organisation's installation. */
  revoke(...workspaces: readonly FakeWorkspace[]): void {
    for (const { state } of workspaces) revoke(this.state, state);
    this.#tell('team_access_revoked', workspaces);
  }

  /** Removes the app from the whole organisation. */
  uninstall(): void {
    const { world } = this.#tools;
    const installations = [...this.state.granted].flatMap(({ installation }) => installation ?? []);
    const [first] = installations;
    if (!first) throw new Error('the organisation has not installed the app');
    const tokens = { oauth: [], bot: [first.botUser.id] };
    const about = { workspaces: [first.workspace] };
    world.event(about, { type: 'app_uninstalled' });
    world.event(about, { type: 'tokens_revoked', tokens });
    for (const each of installations) {
      revokeToken(world, each);
      each.active = false;
      each.workspace.installation = undefined;
    }
    this.state.token = undefined;
    this.state.granted.clear();
  }

  #tell(type: string, workspaces: readonly FakeWorkspace[]): void {
    this.#tools.world.event(
      { workspaces: [...this.state.granted] },
      { type, team_ids: workspaces.map(({ id }) => id), event_ts: this.#tools.world.clock.ts() },
    );
  }
}
