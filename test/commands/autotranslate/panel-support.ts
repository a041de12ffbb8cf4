import type { ChannelWatch } from '../../../src/model/space.ts';
import { SPACE, type CommandHarness } from '../../fakes/command-harness.ts';
import type { Shown } from '../../fakes/platform.ts';

export const MANY_LANGUAGES = 'es,ja,fr,de,it,pt,nl,pl,ko,sv'.split(',');

/** The panel of a harness, and what is set for a channel. */
export const usePanel = (harness: () => CommandHarness) => {
  const watch = (id: string): ChannelWatch | undefined =>
    harness().services.watches.of({ space: SPACE, id });
  return {
    /** Opens the page of a channel. */
    openChannel: async (id: string): Promise<Shown> => {
      await harness().run('autotranslate panel');
      return harness().press('autotranslate.panel-pick', [id]);
    },
    watch,
    languagesOf: (id: string) => watch(id)?.languages.join(),
  };
};
