const AUDIO_NAME = /\.(?:wav|ogg|oga|opus|mp3|flac|m4a|webm|aac)$/i;

/** Whether a file is named as one that holds nothing but sound. */
export const isAudioName = (name: string): boolean => AUDIO_NAME.test(name);
