import { MessageFlags, ResponseType } from '../codes.ts';
import type { Json } from '../faults.ts';
import type { Interaction } from '../state.ts';
import type { FakeMessage } from './message.ts';
import type { Tools } from './tools.ts';

/** One use of a command, button, menu or dialog, as the person sees it. Follows every change. */
export class FakeInteraction {
  readonly #tools: Tools;
  readonly state: Interaction;

  constructor(tools: Tools, state: Interaction) {
    this.#tools = tools;
    this.state = state;
  }
  /** True from the first answer on, "thinking" included. */
  get acknowledged(): boolean {
    return this.state.answer !== undefined;
  }
  /** How long the first answer took, on the fake's clock. */
  get acknowledgedAfterMs(): number | undefined {
    return this.state.answer?.afterMs;
  }
  /** The same in real time. */
  get acknowledgedAfterRealMs(): number | undefined {
    return this.state.answer?.afterRealMs;
  }
  /** True where the first answer was "thinking", or for a component an empty one. */
  get deferred(): boolean {
    const type = this.state.answer?.type;
    return (
      type === ResponseType.DeferredChannelMessageWithSource ||
      type === ResponseType.DeferredMessageUpdate
    );
  }
  get ephemeral(): boolean {
    return this.state.answer?.ephemeral ?? false;
  }
  /**
   * The answer as shown now; undefined before it and while "thinking". Once it is deleted, the first
   * of the messages that follow it.
   */
  get shown(): FakeMessage | undefined {
    const { original } = this.state;
    if (original?.deleted) return this.followUps[0];
    if (original === undefined || original.flags & MessageFlags.Loading) return undefined;
    return this.#tools.message(original);
  }
  get followUps(): readonly FakeMessage[] {
    return this.state.followUps
      .filter((one) => !one.deleted)
      .map((one) => this.#tools.message(one));
  }
  /** What an autocompletion offered. */
  get choices(): readonly { readonly name: string; readonly value: string | number }[] | undefined {
    return this.state.choices as { name: string; value: string | number }[] | undefined;
  }
  /** The dialog that was opened. */
  get modal(): Json | undefined {
    return this.state.modal;
  }
  /** Resolves as soon as `holds` is true of it; fails with what is shown. */
  async until(holds: (it: this) => boolean, timeoutMs?: number): Promise<this> {
    return this.#tools.waiters.until(
      () => (holds(this) ? this : false),
      () =>
        JSON.stringify({
          acknowledged: this.acknowledged,
          deferred: this.deferred,
          shown: this.shown?.content,
          embeds: this.shown?.embeds,
          followUps: this.followUps.map((one) => one.content),
          choices: this.choices,
          refused: this.#refused(),
        }),
      timeoutMs,
    );
  }
  /** Resolves with the first answer that shows something, "thinking" not counted. */
  async answer(): Promise<FakeMessage> {
    await this.until((it) => it.shown !== undefined);
    return this.shown ?? this.answer();
  }
  /** What the application sent and was refused, for the report. */
  #refused(): readonly string[] {
    return this.#tools.world.requests
      .filter((one) => one.path.includes(this.state.token) && (one.status ?? 200) >= 400)
      .map((one) => `${one.route} ${one.status}`);
  }
}
