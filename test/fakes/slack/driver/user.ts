import { homeOf } from '../methods/views.ts';
import type { Json } from '../json.ts';
import type { User, View } from '../state.ts';
import { addFile, type NewFile } from './files.ts';
import type { Tools } from './tools.ts';

/** A person, and what they see that nobody else does. */
export class FakeUser {
  readonly state: User;
  readonly #tools: Tools;

  constructor(tools: Tools, state: User) {
    this.#tools = tools;
    this.state = state;
  }

  get id(): string {
    return this.state.id;
  }

  /** The modal on top, if one is open. */
  get modal(): View | undefined {
    return [...this.#tools.world.views.values()].findLast(
      (view) => view.type === 'modal' && view.user === this.state && view.open,
    );
  }

  /** The App Home that the person sees, if it was ever shown. */
  get homeView(): View | undefined {
    return homeOf(this.#tools.world, this.state);
  }

  /** The blocks of the App Home that the person sees. */
  get home(): readonly Json[] {
    return (this.homeView?.content['blocks'] ?? []) as readonly Json[];
  }

  /** Opens the app's Home tab, or its messages. */
  openHome(tab: 'home' | 'messages' = 'home'): void {
    const { world } = this.#tools;
    world.event(
      { workspaces: [this.state.workspace] },
      { type: 'app_home_opened', user: this.id, tab, event_ts: world.clock.ts() },
    );
  }

  /** Uploads a file into a form; returns its id. */
  upload(file: NewFile): string {
    return addFile(this.#tools.world, this.state, file).id;
  }

  /** Changes how others see the person. */
  rename(displayName: string): void {
    this.state.displayName = displayName;
    this.#tools.world.event(
      { workspaces: [this.state.workspace] },
      { type: 'user_change', user: { id: this.id, team_id: this.state.workspace.id } },
    );
  }
}
