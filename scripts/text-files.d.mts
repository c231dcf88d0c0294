export const textFiles: Record<string, 'text'>;
