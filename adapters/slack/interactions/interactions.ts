import type { App, BlockAction, ViewResponseAction, ViewSubmitAction } from '@slack/bolt';
import { z } from 'zod';
import { NAMING } from '../manifest.ts';
import type { People } from '../people.ts';
import { createCommandUse, type CommandUseDeps } from './command-use.ts';
import { createControlUse, type ControlUseDeps } from './control-use.ts';
import { FORM_MODAL } from './forms.ts';
import { holdForm, type HeldForm } from './held-form.ts';
import { readMember, teamOf, type ReadUser } from './invocations.ts';
import { COMMAND_MODAL } from './modal.ts';
import { awaitedByUse } from './open-answers.ts';
import { faultFields, toAppError } from '../../../src/errors.ts';
import { say } from '../../../src/i18n/texts.ts';
import type { Channel, Space } from '../../../src/model/place.ts';
import type { OpenAnswers } from '../../../src/ports/store.ts';
import type { RichText } from '../../../src/rich-text/rich-text.ts';

// Each shape has the fields without which a use cannot be handled; bolt's types only promise them.

/** A slash command. docs.slack.dev: "Slash commands". */
const COMMAND = z.looseObject({
  team_id: z.string(),
  channel_id: z.string(),
  user_id: z.string(),
  command: z.string(),
  trigger_id: z.string(),
  response_url: z.string(),
});
/** The fields of every other use of the app. docs.slack.dev: "Interactivity". */
const INTERACTION = z.looseObject({
  team: z.looseObject({ id: z.string() }).nullish(),
  user: z.looseObject({ id: z.string() }),
});
/** A press of a control. */
const ACTION = INTERACTION.extend({
  actions: z.array(z.looseObject({ action_id: z.string() })),
  container: z.looseObject({}),
});
const SUBMISSION = INTERACTION.extend({
  view: z.looseObject({
    private_metadata: z.string(),
    state: z.looseObject({ values: z.record(z.string(), z.record(z.string(), z.looseObject({}))) }),
  }),
});

type AckView = (response?: ViewResponseAction) => Promise<void>;

export interface InteractionDeps extends CommandUseDeps, ControlUseDeps {
  readonly people: Pick<People, 'of'>;
  /** Gives the mentions of a text the names that everybody in a workspace may know. */
  readonly named: (space: Space, text: RichText) => Promise<RichText>;
  readonly openAnswers: Pick<OpenAnswers, 'begin'>;
}

/** Creates what runs commands, shortcuts and controls. */
export const createInteractions = (deps: InteractionDeps, stopped: AbortSignal) => {
  const { core, people, modals, answerAt } = deps;
  const { log } = core;

  const readUser: ReadUser = async (where, name) => {
    const { channel, userId, responseUrl } = where;
    try {
      return await readMember(people, channel.space, userId, name);
    } catch (thrown) {
      log.warn(faultFields(thrown), 'Slack: somebody who used the app could not be read');
      const words = say(core.texts.rich('en-US', NAMING), toAppError(thrown).sentence);
      if (responseUrl !== undefined)
        await answerAt({ ...where, isPrivate: true }).show({ text: words, tone: 'error' });
      return undefined;
    }
  };
  const use = createCommandUse(deps, readUser, stopped);
  const press = createControlUse(deps, readUser, stopped);

  /**
   * Acknowledges a use, and then handles it; a fault of this program is logged, as nobody waits for it. Rejects for a
   * body of another shape, after it was acknowledged.
   */
  const take = async <Body>(
    body: Body,
    shape: z.ZodType,
    acknowledge: () => Promise<void>,
    handle: (body: Body) => Promise<void>,
  ): Promise<void> => {
    const awaited = awaitedByUse(body);
    const ended = awaited && deps.openAnswers.begin(awaited);
    await acknowledge();
    const { success, error } = shape.safeParse(body);
    if (!success) {
      ended?.();
      throw error;
    }
    handle(body)
      .catch((thrown: unknown) => {
        if (!stopped.aborted) log.error({ err: thrown }, 'Slack: an interaction failed');
      })
      .finally(ended);
  };
  const taking =
    <Body>(shape: z.ZodType, handle: (body: Body) => Promise<void>) =>
    async ({ ack, body }: { readonly ack: () => Promise<void>; readonly body: Body }) =>
      take(body, shape, ack, handle);

  /** Takes a form that was sent, which stays open until it is known what comes of it. */
  const takingForm =
    (handle: (body: ViewSubmitAction, form: HeldForm) => Promise<void>) =>
    async ({ ack, body }: { readonly ack: AckView; readonly body: ViewSubmitAction }) => {
      const form = holdForm(ack, (text) => deps.named(teamOf(body), text));
      const handled = async (): Promise<void> => {
        try {
          await handle(body, form);
        } finally {
          await form.close();
        }
      };
      const taken = take(body, SUBMISSION, async () => undefined, handled);
      await taken.catch(form.close);
      await form.settled;
      await taken;
    };

  return {
    /** Has a message translated for somebody who asked for it with a reaction; a fault is logged. */
    asked: (channel: Channel, ts: string, userId: string): void => {
      use.asked(channel, ts, userId).catch((thrown: unknown) => {
        if (!stopped.aborted)
          log.warn(faultFields(thrown), 'Slack: a message could not be translated for somebody');
      });
    },
    /** Takes everything that people do with the app. */
    listen: (app: App): void => {
      app.command(/.*/, taking(COMMAND, use.typed));
      app.shortcut(/.*/, taking(INTERACTION, use.shortcut));
      app.action<BlockAction>(/.*/, taking(ACTION, press.pressed));
      app.options(/.*/, async ({ ack, body }) => {
        INTERACTION.parse(body);
        await ack({ options: [...(await modals.suggested(body))] });
      });
      app.view<ViewSubmitAction>(FORM_MODAL, takingForm(press.formSubmitted));
      app.view<ViewSubmitAction>(COMMAND_MODAL, takingForm(use.submitted));
    },
  };
};
