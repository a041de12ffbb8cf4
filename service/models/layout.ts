import { findTranslationModel, type TranslationModel } from '../engines/bergamot/model.ts';
import { findChatModel, type ChatModel } from '../engines/llama/model.ts';
import { findDiarisation, type DiarisationModel } from '../engines/sherpa-onnx/diarisation.ts';
import { findModel, type Model } from '../engines/sherpa-onnx/model.ts';
import { findVoices, type InstalledSpeaker } from '../engines/sherpa-onnx/voices.ts';

/** The model in a folder, with the paths of its files, as its engine uses them. */
export type Layout =
  | { readonly ability: 'translation'; readonly model: TranslationModel }
  | { readonly ability: 'speech'; readonly speakers: readonly InstalledSpeaker[] }
  | { readonly ability: 'recognition'; readonly model: Model }
  | { readonly ability: 'diarisation'; readonly model: DiarisationModel }
  | { readonly ability: 'chat'; readonly model: ChatModel };

/**
 * Finds out what kind of model a folder holds. Throws `AppError` (`config`) with an operator's
 * sentence when no engine can use it.
 */
export const findLayout = async (folder: string): Promise<Layout> => {
  const translation = await findTranslationModel({ path: folder, record: undefined });
  if (translation) return { ability: 'translation', model: translation };
  const chat = await findChatModel(folder);
  if (chat) return { ability: 'chat', model: chat };
  const diarisation = await findDiarisation(folder);
  if (diarisation) return { ability: 'diarisation', model: diarisation };
  const speakers = await findVoices(folder);
  if (speakers) return { ability: 'speech', speakers };
  return { ability: 'recognition', model: await findModel(folder) };
};

/** The languages that a model's files name (BCP 47); undefined where they name none. */
export const languagesIn = (layout: Layout): readonly string[] | undefined => {
  switch (layout.ability) {
    case 'translation':
      return [layout.model.from, layout.model.to];
    case 'recognition':
      return layout.model.languages;
    case 'speech':
    case 'chat':
    case 'diarisation':
      return undefined;
  }
};
