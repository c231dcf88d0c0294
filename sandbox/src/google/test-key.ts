/**
 * The private half of the sandbox's only RSA key, in PKCS#8. It is public on purpose: it was created for tests, and no
 * account anywhere accepts its signatures.
 */
export const testPrivateKey = `-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC3mnhAA+c3M7EW
evweXpT7EUhnUHwohB6WVS83Hwz7GaBwA2GObspn6cr5eW8otRZe9/BjBVp9TWMy
f9St6wRKXEYzMkjn//50ml8thd4zbvZTUhEXvMnryTNGMextnuneRFQkq8ia7Xr0
gS+BClotX5xsyvnsbEpYZgy1WJ3nDlV4BXl7rs/g8hFqjW3rH0OzBK7nphg7ulGy
ydLAMqoo55Mn1N5XPzvKsz3vLmvc2d12c86RsR0CnT2r3nTyG9Lm6J7zbixbXB4k
fFmq+Rlr26PVnQfCLKooDSfLFXow9KhRSepn4kG0E6tK7oyW+CHmEtomozJBfoE4
Tmg9DUevAgMBAAECggEAMh/13GQ0Z5mxKxYAZrojqjeZsLsEantHbntrHH1ZqePh
LTN/GseccqodQ+anNlHZ/atq8V2wyqyp/Etx4NlcnoB6mdeMl+oHqgXLHj6B30DX
9v9cs0JTTg/r86oFhhfweUHmRuyvI7zZ6I6sTWpqHCESL5FqkeUultuldIzw7vdA
CDSQEZXMB2gd5VkmY+DC4vtNIm9su7+rW/Pm80RoLGq7+AXjNkqAXJeFQDRi6hKv
SQMSHc7riH6EdztPqxWtj62x1AW7iMdQyv1g0fz0vsl5V/jptvUjpXw0rWmXNM9c
8nqWVxbCDSc1e182Et2JcG7ERVJY/UmmvB6P2Ry7AQKBgQDsBLIax/daFu8jNC5C
40a2mZ+OtLCj4Yy1xQT4LPVxt43V+q38eAaq0Ui1HVucjrezt3XqNnoOlrGguKeV
vVYqCX4H3viD974CZbODOc1Xq8kbSatal0JTNQMXM0clfRhmRsL62zZjT3yNxjpb
5joVc4MgQv/eVnbvHEA8KG/ETwKBgQDHJcR0/euTXGjXsvrmn5Sw/M4H6GCMSYSO
xVD5YMT7w8fZLkUcpZ7quju/0uMw2d8ujtNhgr9r8o7/XVOA96+dr2mJ1a6cOE8p
nqVp4aoHhSYMN6p0kRdmw+HMsT3syqjH8DT3pwor1FjPEr6V9jpaT/180jOxGPMG
Jr0/B3GOoQKBgGAeYXJqsZ+s62MI4zY2XRwMYGC70ZxMRQPZ4vY3SRYwzMCyQJ0r
PHvgk52/AQo3TTURqCHkYb0DPf/Yc9eVrjucdgk6kzcbc/SB+qOcrLXhrhtA21of
c9FzK3kNVxI7ae5tLwb+s52qR21tp2K51jnaOzKuVonz6Kfkd3yIc0wdAoGARUkV
haKGIFnJPCpP8obYw47g2410cbpuPQHXPzv0rKcb06qubt4MYRv0B7QGSQu0A027
qzRDBvp3186Pa9JArjrGHCdUvZM1r4Q7ho/1iPJBH4UKb82+94j0+TM9GTIU8KLY
usTJ3B/f2gNqfWASQzOLPK8hPt8wRhaaRuB/GKECgYEA2lfw4i48oN0s1Y8Vvc2u
zf9TK3jLtVRWMviuUHwjBjM8ThE7vdt+hfF/PfWRx5dmZsznnU5rF9h4j0Maemb0
3JAAafUm8RE3UO/2CknB2eeKSimUUC0o+wpBIdIiQFocVaYlpOKxd/Rdvd28IGLw
/6sqCRQm0Dc8VrexmEFU2jE=
-----END PRIVATE KEY-----
`;

/** The public half of the same key. */
export const testPublicKey = {
  kty: 'RSA',
  e: 'AQAB',
  n: [
    't5p4QAPnNzOxFnr8Hl6U-xFIZ1B8KIQellUvNx8M-xmgcANhjm7KZ-nK-XlvKLUWXvfwYwVafU1jMn_UresESlxGMzJI5__-dJpf',
    'LYXeM272U1IRF7zJ68kzRjHsbZ7p3kRUJKvImu169IEvgQpaLV-cbMr57GxKWGYMtVid5w5VeAV5e67P4PIRao1t6x9DswSu56YY',
    'O7pRssnSwDKqKOeTJ9TeVz87yrM97y5r3NnddnPOkbEdAp09q9508hvS5uie824sW1weJHxZqvkZa9uj1Z0HwiyqKA0nyxV6MPSo',
    'UUnqZ-JBtBOrSu6Mlvgh5hLaJqMyQX6BOE5oPQ1Hrw',
  ].join(''),
} as const;
