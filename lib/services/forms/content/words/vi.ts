import type { WordList } from './word-list';

export const vi: WordList = {
  password: ['{mật khẩu|mat khau|mật mã|mk đăng nhập}', '{thông tin|thong tin} đăng nhập', 'cụm mật khẩu'],
  one_time_code: [
    '{chữ số|số} {mà |} {chúng tôi|bạn} {vừa |} {gửi|nhận được} {qua|đến|từ|trong} {sms|tin nhắn|điện thoại}',
    'mã {otp|xác minh|xác nhận|xác thực|bảo mật|kích hoạt|sms|dùng một lần|đăng nhập|dự phòng|khôi phục}',
    'ma {otp|xac minh|xac nhan|xac thuc|sms}',
    'mã {số |} {được gửi|gửi đến|bạn nhận được|nhận được|vừa nhận|chúng tôi gửi|trong tin nhắn}',
    'mã {4|6|sáu|bốn} {số|chữ số}',
  ],
  pin: [
    'mã puk',
    'mã pin',
    'số pin',
    'mã {bí mật|cá nhân|số bí mật}',
    'pin {thẻ atm|thẻ ngân hàng|atm|của bạn|của thẻ}',
  ],
  secret_key: [
    '{mười hai|hai mươi bốn|12|24} từ {của |trong |} ví',
    '{cụm từ|cụm} {khôi phục|bí mật|hạt giống|ghi nhớ|seed}',
    '{khóa|khoá} {riêng tư|bí mật|cá nhân|api|riêng}',
    '{12|24} từ {khôi phục|bí mật|của ví}',
  ],
  card: [
    '{ba|3} {số|chữ số} {ở |trên |} mặt sau {của |} thẻ',
    '{số|thông tin|chi tiết} {trên |in trên |mặt trước |} thẻ {tín dụng|ngân hàng|ghi nợ|atm|visa|thanh toán}',
    'so the {tin dung|ngan hang}',
    '^số thẻ$',
    'số thẻ {của bạn|visa card|và cvv}',
    '{ngày hết hạn|hạn sử dụng|ngày hiệu lực} {của |} thẻ {tín dụng|ngân hàng|}',
    '{3|ba} {số|chữ số} {ở |} mặt sau',
    '{16|mười sáu} {số|chữ số}',
    '^thẻ {tín dụng|ngân hàng|ghi nợ|atm}$',
  ],
  bank_account: [
    '{số|so} {tài khoản|tai khoan}',
    '{thông tin|chi tiết|dữ liệu} {tài khoản ngân hàng|ngân hàng|chuyển khoản}',
    'tài khoản ngân hàng {để|nhận|của bạn}',
    '^tài khoản ngân hàng$',
    '{tên đăng nhập|tài khoản|đăng nhập} {ngân hàng điện tử|internet banking|ngân hàng trực tuyến|mobile banking}',
    'mã {swift|ngân hàng}',
  ],
  harmless: [
    'bao nhiêu mật khẩu',
    'bao lâu {bạn |} {đổi|thay đổi} mật khẩu',
    'trình quản lý mật khẩu',
    'mật mã {da vinci|học}',
    'số thẻ {thư viện|thành viên|sinh viên|bảo hiểm|học sinh|căn cước|hội viên|nhân viên}',
    'số tài khoản khách hàng',
    'mã xác nhận {đặt phòng|đặt chỗ|đơn hàng|vé}',
    '{số|thông tin} thẻ {thư viện|thành viên|sinh viên|bảo hiểm}',
    'mã {bí mật|cá nhân} trò chơi',
  ],
  harmlessWithOptions: [
    '{đổi|thay đổi|quên|lưu|chia sẻ|dùng} {cùng một |} mật khẩu',
    'mật khẩu {mạnh|giống nhau|khác nhau}',
  ],
  fillers: [
    '{vui lòng|xin|hãy|nhập|điền|ghi|của bạn|bạn|lại|tại đây|ở đây|xác nhận|hiện tại|mới|cũ|và|là gì|cho biết|đầy đủ|số}',
  ],
  warningStarts: [
    '{không|đừng|vui lòng không|tuyệt đối không} {bao giờ |} {nhập|chia sẻ|gửi|cung cấp|điền}',
    'chúng tôi không bao giờ {hỏi|yêu cầu}',
  ],
  warningWords: ['{của bạn|hoặc|và|vào|trong|biểu mẫu|này|tại đây|ở đây|câu trả lời|bất kỳ|thẻ|thông tin}'],
};
