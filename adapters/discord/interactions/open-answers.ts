import { MessageFlags, Routes, type APIMessage } from 'discord.js';
import { z } from 'zod';
import type { Api } from '../api.ts';
import { PLATFORM } from '../ids.ts';
import { bodyOf } from '../outbound/message-writer.ts';
import { render } from '../outbound/render.ts';
import { memberOf, placeOf, type UsedInteraction } from './invocations.ts';
import type { Core } from '../../../src/adapter.ts';
import type { AwaitedAnswer } from '../../../src/ports/store.ts';

/** An interaction whose answer is to come; its token is good for 15 minutes. */
const address = z.object({ application: z.string(), token: z.string(), locale: z.string() });

export const awaitedBy = (interaction: UsedInteraction): AwaitedAnswer => {
  const { application_id: application, token } = interaction;
  const { id, locale } = memberOf(interaction);
  const where: z.infer<typeof address> = { application, token, locale };
  return {
    spaceId: placeOf(interaction).space.id,
    memberId: id,
    address: JSON.stringify(where),
  };
};

/** Opens what keeps the answers that people wait for, and tells them of those that a restart interrupted. */
export const openAnswers = (api: Api, core: Pick<Core, 'keepOpenAnswers' | 'texts'>) =>
  core.keepOpenAnswers(PLATFORM, async ({ address: stored }) => {
    const { application, token, locale } = address.parse(JSON.parse(stored));
    const text = core.texts.rich(locale, 'local')('answers.interrupted');
    const [part] = render({ text, tone: 'note' });
    const { body } = await bodyOf(part);
    const original = Routes.webhookMessage(application, token, '@original');
    const shown = await api.send<APIMessage>('GET', original, { auth: false });
    const isThinking = ((shown.flags ?? 0) & MessageFlags.Loading) !== 0;
    if (isThinking) return void (await api.send('PATCH', original, { auth: false, body }));
    // What stands there is a part of the answer, or the panel that was pressed.
    const flags = MessageFlags.Ephemeral;
    await api.sendOnce('POST', Routes.webhook(application, token), {
      auth: false,
      body: { ...body, flags },
    });
  });
