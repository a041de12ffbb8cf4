import type { Api } from '../api.ts';
import { channelOf } from '../ids.ts';
import { NAMING } from '../manifest.ts';
import type { MessageWriter } from '../outbound/message-writer.ts';
import { render } from '../outbound/render.ts';
import { openDirectChannel, type People } from '../people.ts';
import type { Installations } from './installations.ts';
import { button } from '../../../src/command/helpers.ts';
import type { Core } from '../../../src/adapter.ts';
import type { Space } from '../../../src/model/place.ts';
import { logFailure } from '../../../src/telemetry/log.ts';

export interface GreetingDeps {
  readonly api: Api;
  readonly core: Pick<Core, 'texts' | 'log'>;
  readonly people: Pick<People, 'of'>;
  readonly writer: Pick<MessageWriter, 'post'>;
  readonly installations: Pick<Installations, 'known'>;
}

/** Creates the function that sends who installed the app the first steps, in a direct message. A failure is logged. */
export const createGreeting =
  ({ api, core, people, writer, installations }: GreetingDeps) =>
  async (space: Space, userId: string): Promise<void> => {
    await logFailure(
      core.log,
      'Slack: who installed the app could not be sent the first steps',
      async () => {
        const { locale = 'en-US' } = await people.of(space, userId);
        const name = installations.known(space)?.botName ?? '';
        const text = core.texts.rich(locale, NAMING)('slack.installed', { name });
        const label = core.texts.in(locale, NAMING);
        const controls = [
          button({ label }, 'autotranslate open', 'welcome.translate', 'primary'),
          button({ label }, 'language pick', 'language.button'),
        ];
        const { id } = await openDirectChannel(api, space, userId);
        await writer.post(channelOf(space.id, id), render({ text, controls }), {});
      },
    );
  };
