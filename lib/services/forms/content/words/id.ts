import type { WordList } from './word-list';

/** Indonesian and Malay. */
export const id: WordList = {
  password: [
    'kata {sandi*|laluan*|kunci akun*|kunci masuk*}',
    '{katasandi*|sandi {akun|anda|masuk|login|lama|baru|wifi}}',
    'frasa sandi',
    '{data|informasi|kredensial} {login|masuk|akun untuk login}',
    '^sandi$',
  ],
  one_time_code: [
    '{angka|digit|nomor} {yang |} {kami kirim|dikirim|anda terima} {lewat|melalui|via|ke} {sms|whatsapp|ponsel|hp|pesan}',
    'kode {otp|verifikasi|konfirmasi|keamanan|autentikasi|sms|aktivasi|akses|sekali pakai|rahasia otp|pemulihan|cadangan}',
    'kod {otp|pengesahan|sms|keselamatan|pengaktifan|tac}',
    '{kode|kod} {yang |} {dikirim|diterima|anda terima|kami kirim|dihantar|kamu terima|masuk ke}',
    '{kode|kod} {4|6|empat|enam} {digit|angka}',
  ],
  pin: [
    'kode puk',
    '^puk$',
    '{nomor|kode|no|nombor} pin',
    'pin {atm|kartu|anda|kamu|bank|baru|lama|transaksi|aplikasi}',
    '{kode|nomor|kod} rahasia',
    'kode {atm|kartu}',
  ],
  secret_key: [
    '{dua belas|dua puluh empat|12|24} kata {dompet|pemulihan|rahasia|dari}',
    'kata {kata |} pemulihan dompet',
    '{frasa|frase|kata} {pemulihan|benih|rahasia|cadangan|mnemonik|sandi pemulihan}',
    'kunci {pribadi|privat|rahasia|api|peribadi|private}',
    '{12|24} kata {rahasia|pemulihan|dari|dompet}',
  ],
  card: [
    'nomor kartu {anda|kredit|debit|atm|bank}',
    '{nomor|no|data|info|informasi|detail|nombor|nomer} {kartu|kad} {kredit|debit|bank|atm|anda|pembayaran}',
    '{nomor|angka} {pada|di} kartu',
    '{masa berlaku|tanggal kedaluwarsa|tarikh luput|masa aktif} {kartu|kad} {kredit|debit|anda|}',
    '{3|tiga} {angka|digit} {di |} belakang',
    '{16|enam belas} digit',
    'kode {cvv|cvc|keamanan kartu}',
    '^kartu {kredit|debit|atm}$',
  ],
  bank_account: [
    '{nomor|no|nombor|data|info|nomer} {rekening|akaun bank|rekening bank}',
    '{detail|informasi|maklumat|rincian} {bank|perbankan|rekening}',
    'data {perbankan|rekening|bank anda|bank kamu|bank saya|bank lengkap}',
    '^{rekening bank|akaun bank|rekening}$',
    'rekening {bank |} untuk {pengembalian|refund|transfer}',
    '{user id|username|login|id pengguna} {internet banking|mobile banking|m banking|ibanking|perbankan}',
    'kode {swift|bank}',
  ],
  harmless: [
    'berapa {banyak |} kata sandi',
    'seberapa sering {anda |kamu |} {mengganti|mengubah|lupa} kata sandi',
    'data bank',
    'kata kunci',
    'pengelola kata sandi',
    'sandi {morse|rumput|pramuka|kotak|asmara}',
    '{nomor|no|data|nombor} {kartu|kad} {keluarga|pelajar|anggota|perpustakaan|mahasiswa|tanda penduduk|identitas|member|keanggotaan|bpjs|peserta|pengenalan|nama|ujian|sim|grafis|vaksin|ucapan|undangan}',
    '{nomor|no} rekening {listrik|air|pelanggan}',
    'kode konfirmasi {pemesanan|booking|reservasi}',
    'kata rahasia {permainan|teka teki}',
  ],
  harmlessWithOptions: [
    '{mengganti|ganti|lupa|ubah|mengubah|menyimpan|memakai|berbagi} kata {sandi|laluan} {anda|}',
    'kata sandi yang {sama|kuat|berbeda}',
  ],
  fillers: [
    '{silakan|tolong|mohon|harap|sila|masukkan|isi|isikan|tulis|ketik|anda|kamu|saya|konfirmasi|ulangi|di sini|lagi|saat ini|baru|lama|dan|apa|lengkap|digit|berikan}',
  ],
  warningStarts: [
    '{jangan|mohon jangan|harap tidak|mohon tidak} {pernah |} {memasukkan|masukkan|mengisi|menuliskan|tulis|kirim|mengirim|berikan|bagikan}',
    'kami tidak {pernah|akan pernah|akan} {meminta|menanyakan}',
  ],
  warningWords: [
    '{anda|kamu|atau|dan|di|sini|dalam|pada|formulir|ini|jawaban|apa pun|apapun|data|kartu|kode}',
  ],
};
